#!/usr/bin/env python3
"""Checks every #include of kernels/, oracles/, variants/, harness/ and reports/ against the table of rooms in docs/architecture.md.

A room is a folder of the second level, or `variants`. Its line names what it may include beside itself: rooms, `kernels/*` for
all of a kind, or one header. Rooms must form no circle, and reports/ has no C++ file in its root.
One line a finding on standard error; ends with 1 where there is one.
"""

import argparse
import fnmatch
import pathlib
import re
import sys

SOURCES = {".h", ".cpp", ".cu", ".cuh"}
TOPS = ("kernels", "oracles", "variants", "harness", "reports")


def room_of(path):
    """The room of a file or header, given from the tree's root."""
    parts = path.split("/")
    return "variants" if parts[0] == "variants" else "/".join(parts[:2])


def read_table(document):
    """Room -> patterns of what it may include, in the table's order."""
    rooms = {}
    for line in document.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"`([^`]+)`", cells[0])
        if line.startswith("| `") and len(cells) == 3 and name:
            rooms[name.group(1)] = re.findall(r"`([^`]+)`", cells[2])
    return rooms


def line_of(rooms, room):
    """The table's entry of a room: its own, else the one of its kind."""
    if room in rooms:
        return rooms[room]
    return next((may for name, may in rooms.items() if fnmatch.fnmatch(room, name)), None)


def includes_of(tree):
    """(file, line number, included header) of all sources."""
    for top in TOPS:
        for path in sorted((tree / top).rglob("*")):
            if path.suffix not in SOURCES or "node_modules" in path.parts:
                continue
            name = path.relative_to(tree).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if found := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
                    yield name, number, found.group(1)


def circle_in(edges):
    """Rooms that include each other in a circle, or nothing."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return None
        path.append(room)
        for other in sorted(edges.get(room, ())):
            if circle := visit(other):
                return circle
        path.pop()
        done.add(room)
        return None

    for room in sorted(edges):
        if circle := visit(room):
            return circle
    return None


def findings_in(tree):
    document = tree / "docs" / "architecture.md"
    rooms = read_table(document) if document.is_file() else {}
    if not rooms:
        return [f"{document}: expected a table of rooms"], 0
    findings, edges, count = [], {}, 0
    for path in sorted((tree / "reports").glob("*")):
        if path.suffix in SOURCES:
            findings.append(f"reports/{path.name}: expected no C++ file in the root of reports/")
    for name, number, header in includes_of(tree):
        count += 1
        room, other = room_of(name), room_of(header)
        may = line_of(rooms, room)
        if may is None:
            findings.append(f"{name}:{number}: {document.name} has no room '{room}'")
        elif room != other and header.split("/")[0] in TOPS + ("tests",):
            if not any(fnmatch.fnmatch(other, pattern) for pattern in may):
                findings.append(f"{name}:{number}: includes {header}, which room '{room}' may not")
            elif other.split("/")[0] in TOPS:
                edges.setdefault(room, set()).add(other)
    if circle := circle_in(edges):
        findings.append(f"rooms include each other in a circle: {' -> '.join(circle)}")
    return findings, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=pathlib.Path, metavar="TREE",
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="root of the tree to check [the one this script is in]")
    findings, count = findings_in(parser.parse_args().tree)
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print(f"rooms: {count} includes stand as docs/architecture.md allows")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
