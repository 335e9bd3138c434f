#!/usr/bin/env python3
"""Counts the skipped tests of a run by what they lacked: skips.py NAME=LOG...

NAME is a stage, LOG what its tests printed, build/release/Testing/Temporary/LastTest.log say. A skipped test prints the capability
that it lacked in brackets (tests/support/capability.h). One line for each stage, with every capability that tests lacked.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def capabilities():
    header = (ROOT / "tests/support/capability.h").read_text(encoding="utf-8")
    return re.findall(r'"([a-z0-9_]+)"', header[header.index("capabilities[]") :].split(";", 1)[0])


def skips_in(text, known):
    """Capability -> number of tests that lacked it."""
    counts = collections.Counter()
    for line in text.splitlines():
        found = re.match(r"\[([a-z0-9_]+)\] (?!ABLATE_REQUIRE)", line)
        if found and found[1] in known:
            counts[found[1]] += 1
    return counts


def main(words):
    known = capabilities()
    for word in words:
        stage, equals, log = word.partition("=")
        if not equals or not pathlib.Path(log).is_file():
            sys.exit(f"skips.py: expected NAME=LOG with an existing log, found '{word}'")
        counts = skips_in(pathlib.Path(log).read_text(encoding="utf-8", errors="replace"), known)
        lacked = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        had = ", ".join(name for name in known if name not in counts and not name.startswith("no_"))
        print(f"{stage}: {sum(counts.values())} skipped{' for want of ' + lacked if counts else ''}; lacked nothing of {had}")


if __name__ == "__main__":
    main(sys.argv[1:])
