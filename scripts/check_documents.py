#!/usr/bin/env python3
"""Checks the tree's Markdown: every link leads to a file and a heading that exist, every path of the tree that a document names
in code exists, and all places that state the version agree with CMakeLists.txt.

A path counts if its first folder is one of the tree's; one with a wildcard or a placeholder (<operation>, NAME, …) does not, nor
does one that a diff in the same document adds. Reports that are made from records (results/*/*/summary.md, those of tests/package and of tests) are not checked.
One line a finding on standard error; ends with 1 where there is one.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

FOLDERS = ("base", "docs", "harness", "kernels", "oracles", "reports", "results", "scripts", "suites", "tests", "variants")
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
PATH = re.compile(r"(?<![\w/.<-])((?:%s)/[\w./-]*\w)(?![\w/]*[*<{$…])" % "|".join(FOLDERS))
PLACEHOLDER = re.compile(r"/(NAME|FILE|DIR|RECORD|SUITE|node_modules)\b|\bmine\b")
MADE = re.compile(r"(tests/package/)?results/[^/]+/[^/]+/summary\.md|tests/reports/data/.*")


def tracked(root):
    """Files of the tree, from its root: what git tracks or would track; without git, all of them."""
    asked = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False
    )
    if asked.returncode == 0 and asked.stdout:
        names = asked.stdout.decode().split("\0")
        return {name for name in names if name and (root / name).exists()}
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def folders_of(files):
    return {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents}


def anchor_of(heading):
    """What a code host makes of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(text):
    found = {}
    for heading in re.findall(r"(?m)^#{1,6} +(.*?) *#*$", without_code_blocks(text)):
        anchor = anchor_of(heading)
        count = found[anchor] = found.get(anchor, -1) + 1
        if count:
            found[f"{anchor}-{count}"] = 0
    return set(found) | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_code_blocks(text):
    return re.sub(r"(?ms)^( *)```.*?^\1```", blanked, text)


def code_of(text):
    """Code blocks and spans, everything else blanked, so that lines keep their numbers. Of diffs only what they add."""
    kept = [" " if c != "\n" else c for c in text]
    for match in re.finditer(r"(?ms)^( *)```(\w*)\n.*?^\1```|`[^`\n]+`", text):
        if match.group(2) not in ("diff", "json"):
            kept[match.start() : match.end()] = text[match.start() : match.end()]
    return "".join(kept)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


class Documents:
    def __init__(self, root):
        self.root = root
        self.files = tracked(root)
        self.folders = folders_of(self.files)
        self.texts = {}
        self.known_anchors = {}
        self.findings = []

    def anchors(self, path):
        if path not in self.known_anchors:
            self.known_anchors[path] = anchors_of(self.text(path))
        return self.known_anchors[path]

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8")
        return self.texts[name]

    def refuse(self, name, line, what):
        self.findings.append(f"{name}:{line}: {what}")

    def check_links(self, name):
        text = without_code_blocks(self.text(name))
        text = re.sub(r"`[^`\n]+`", blanked, text)
        for match in LINK.finditer(text):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            line = line_at(text, match.start())
            to = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if to not in self.files and to not in self.folders:
                self.refuse(name, line, f"links to {match.group(1)}, but there is no {to}")
            elif anchor and to.endswith(".md") and anchor not in self.anchors(to):
                self.refuse(name, line, f"links to {match.group(1)}, but {to} has no such heading")

    def check_paths(self, name):
        text = self.text(name)
        added = set(re.findall(r"(?m)^\+\+\+ b/(\S+)", text)) | set(re.findall(r"Saved as `([^`]+)`", text))
        code = code_of(text)
        for match in PATH.finditer(code):
            path = match.group(1)
            if PLACEHOLDER.search(path) or path in added or any(one.startswith(path + "/") for one in added):
                continue
            if path not in self.files and path not in self.folders:
                self.refuse(name, line_at(code, match.start()), f"names {path}, which does not exist")

    def check_versions(self):
        def version(name, pattern):
            found = re.search(pattern, self.text(name)) if name in self.files else None
            return ".".join(found.groups()) if found else "none"

        right = version("CMakeLists.txt", r"project\(\w+ VERSION ([\d.]+)")
        for name, pattern in (
            ("CHANGELOG.md", r"(?m)^## ([\d.]+)"),
            ("CITATION.cff", r"(?m)^version: ([\d.]+)"),
            ("README.md", r"Version `([\d.]+)`"),
            ("reports/package.json", r'"version": "([\d.]+)"'),
            ("harness/version.h", r"(?s)_MAJOR (\d+)\n.*?_MINOR (\d+)\n.*?_PATCH (\d+)\n"),
        ):
            if (found := version(name, pattern)) != right:
                self.refuse(name, 1, f"states version {found}, but CMakeLists.txt {right}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    documents = Documents(parser.parse_args().tree)
    names = sorted(name for name in documents.files if name.endswith(".md") and not MADE.fullmatch(name))
    for name in names:
        documents.check_links(name)
        documents.check_paths(name)
    documents.check_versions()
    for finding in documents.findings:
        print(finding, file=sys.stderr)
    if documents.findings:
        return 1
    print(f"documents: {len(names)} files, every link and path leads somewhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
