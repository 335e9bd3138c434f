#!/usr/bin/env python3
"""Checks every #include of base/, kernels/, oracles/, variants/, harness/ and reports/ against the table of rooms in docs/architecture.md.

A room is a folder of the second level, or `variants`. Its line names what it may include beside itself: rooms, `kernels/*` for
all of a kind, or one header. Rooms must form no circle, and reports/ has no C++ file in its root.
Only reports read what a suite says to them: of harness/, cli/ alone includes base/record's headers of it.
Headers of kernels/common that `.cu` files include have no standard header that is slow in nvcc, which parses them once for the
host and once for each architecture. What needs one is for hosts, and a `.cu` file has it only by naming it.
One line a finding on standard error; ends with 1 where there is one.
"""

import argparse
import fnmatch
import pathlib
import re
import sys

SOURCES = {".h", ".cpp", ".cu", ".cuh"}
TOPS = ("base", "kernels", "oracles", "variants", "harness", "reports")

# Half a second and more of a small `.cu` file's four, each.
SLOW = {"algorithm", "chrono", "filesystem", "format", "fstream", "functional", "iostream", "map", "memory", "memory_resource",
        "numeric", "optional", "ostream", "random", "ranges", "regex", "set", "sstream", "stdexcept", "string", "string_view",
        "system_error", "thread", "unordered_map", "unordered_set", "variant", "vector", "fmt/core.h", "fmt/format.h",
        "nlohmann/json.hpp", "nlohmann/json_fwd.hpp"}
# The parts of a suite's `report` block, which the measuring side carries along unread.
FOR_REPORTS = {f"base/record/{name}.h" for name in ("asked_suite", "comparison", "exhibit", "ladder", "question", "suite_report")}
FOR_HOSTS = {f"kernels/common/{name}.h" for name in ("kernel_launch", "launch_error", "spans", "switch_entry", "unsupported")}
# Slow headers that only another standard library than libstdc++ is given.
FALLBACKS = {("kernels/common/min_max.h", "algorithm")}


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


def slow_headers_in(tree):
    """Lines of kernels/common by which a `.cu` file gets what only hosts should have."""
    lines = {}  # of a file: (number, header in quotes or nothing, standard header or nothing)

    def lines_of(name):
        if name not in lines:
            path = tree / name
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            lines[name] = [(number, *match.groups()) for number, line in enumerate(text.splitlines(), 1)
                           if (match := re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', line))]
        return lines[name]

    findings, seen = {}, set()
    for top in ("kernels", "oracles"):
        for path in sorted((tree / top).rglob("*.cu")):
            source = path.relative_to(tree).as_posix()
            left = [source]
            while left:
                name = left.pop()
                if name in seen:
                    continue
                seen.add(name)
                for number, own, standard in lines_of(name):
                    is_common = name.startswith("kernels/common/") and not name.endswith(".cu")
                    if own in FOR_HOSTS:
                        if not name.endswith(".cu"):
                            findings[name, number] = f"includes {own}, which is for hosts, and is included by {source}"
                    elif own:
                        left.append(own)
                    elif is_common and standard in SLOW and (name, standard) not in FALLBACKS:
                        findings[name, number] = f"includes <{standard}>, which nvcc is slow on, and is included by {source}"
    return [f"{name}:{number}: {text}" for (name, number), text in sorted(findings.items())]


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
        if header in FOR_REPORTS and name.startswith("harness/") and room != "harness/cli":
            findings.append(f"{name}:{number}: includes {header}, which only reports read; harness/ carries a suite's report unread")
    findings += slow_headers_in(tree)
    if circle := circle_in(edges):
        findings.append(f"rooms include each other in a circle: {' -> '.join(circle)}")
    return findings, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=pathlib.Path, metavar="TREE",
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="root of the tree to check [this script's]")
    findings, count = findings_in(parser.parse_args().tree)
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print(f"rooms: {count} includes follow docs/architecture.md")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
