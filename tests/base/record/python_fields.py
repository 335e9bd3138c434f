#!/usr/bin/env python3
"""Holds what reports/python/ablate_record.py asks of records to a description of their fields.

    python_fields.py FIELDS RECORD...

FIELDS is a JSON Schema as record_fields() of base/record/record.h gives it. One line a key that the reader takes for another
thing than the description; ends with 1 where there is one.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "reports" / "python"))
import ablate_record  # noqa: E402

LIMITS = {"positive": ("exclusiveMinimum",), "not_negative": ("minimum", "exclusiveMinimum"), "count": ("minimum",)}
TYPES = {"text": "string", "boolean": "boolean", "number": "number", "positive": "number", "not_negative": "number",
         "count": "integer", "words": "object", "numbers": "object", "elements": "array", "object": "object"}


def types_of(node):
    """Of its values; an enumeration is one of words."""
    if "enum" in node or "const" in node:
        return {"string"}
    kind = node.get("type", [])
    return {kind} if isinstance(kind, str) else set(kind)


class Finder:
    def __init__(self, fields):
        self.fields = fields
        self.findings = {}

    def node(self, pointer):
        """The description of a place and its name without numbers, and that of the object it is in."""
        node, parent, name = self.fields, None, ""
        for step in [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]:
            parent, key = node, step
            if "items" in node:
                node, key = node["items"], "*"
            elif step in node.get("properties", {}):
                node = node["properties"][step]
            elif "additionalProperties" in node:
                node, key = node["additionalProperties"], "*"
            else:
                return None, parent, f"{name}/{step}"
            name += f"/{key}"
        return node, parent, name

    def expect(self, holds, name, text):
        if not holds:
            self.findings[f"{name}: {text}"] = None

    def asked(self, place, key, is_required):
        node, parent, name = self.node(f"{place.pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
        self.expect(node is not None, name, "the reader asks for a key that is not described")
        if node is None or key not in parent.get("properties", {}):
            return
        self.expect(is_required == (key in parent.get("required", [])), name,
                    f"the reader takes it for {'required' if is_required else 'optional'}")

    def taken(self, place, method, words=()):
        node, _, name = self.node(place.pointer)
        if node is None or not node:
            return
        if method == "one_of":
            known = {word for word in node.get("enum", [node.get("const")]) if word is not None}
            self.expect(known == set(words), name, f"the reader knows {sorted(words)}, described are {sorted(known)}")
            return
        self.expect(TYPES[method] in types_of(node) or (TYPES[method] == "number" and "integer" in types_of(node)), name,
                    f"the reader takes it for a {TYPES[method]}, described is {sorted(types_of(node))}")
        if method in LIMITS:
            self.expect(any(limit in node for limit in LIMITS[method]), name, f"the reader expects {method}")


def watch(finder):
    """Has every place of the reader tell what is asked of it."""
    of = ablate_record._Place
    at, find, one_of = of.at, of.find, of.one_of

    def watched_at(self, key):
        finder.asked(self, key, True)
        return at(self, key)

    def watched_find(self, key):
        finder.asked(self, key, False)
        return find(self, key)

    def watched_one_of(self, *words):
        finder.taken(self, "one_of", words)
        return one_of(self, *words)

    of.at, of.find, of.one_of = watched_at, watched_find, watched_one_of
    for method in TYPES:
        def watched(self, method=method, whole=getattr(of, method)):
            finder.taken(self, method)
            return whole(self)

        setattr(of, method, watched)


def main():
    fields, *records = sys.argv[1:]
    finder = Finder(json.loads(pathlib.Path(fields).read_text(encoding="utf-8")))
    watch(finder)
    for record in records:
        ablate_record.load(record)
    for finding in finder.findings:
        print(finding, file=sys.stderr)
    return 1 if finder.findings else 0


if __name__ == "__main__":
    sys.exit(main())
