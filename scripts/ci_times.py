#!/usr/bin/env python3
"""Where the time of a CI run went: ci_times.py BUILD --against TIMES --out TIMES

Reads BUILD/ci/stages.tsv and the stages' logs, which .ci/run writes, and the logs of Ninja in BUILD/*/.ninja_log. Prints seconds by
stage: in all, of CMake's configuring, of tests; then by build folder the seconds that compilers and linkers ran, summed over processes.
Beside each stage is its time in the TIMES of --against. ccache hits take no time, so compare cold runs.
"""

import argparse
import json
import pathlib
import re
import sys

LINKED = re.compile(r"(^|/)(ablate[a-z_0-9]*|[^/]+\.(so|a))$")


def stages_of(ci):
    """The time at which the run began, and stage -> seconds, in order."""
    lines = (ci / "stages.tsv").read_text(encoding="utf-8").splitlines()
    began, stages = None, {}
    for number, line in enumerate(lines, 1):
        name, tab, value = line.partition("\t")
        if not tab or not value.isdigit():
            sys.exit(f"ci_times.py: {ci / 'stages.tsv'}:{number}: expected NAME, a tab and seconds, found '{line}'")
        if name == "began":
            began = int(value)
        else:
            stages[name] = {"s": int(value)}
    if began is None or not stages:
        sys.exit(f"ci_times.py: {ci / 'stages.tsv'}: expected a line 'began' and stages; .ci/run writes them")
    return began, stages


def add_parts(stage, log):
    """What the stage's own log tells of its parts."""
    configured = [int(found) for found in re.findall(r"^ *configured in (\d+) s$", log, re.M)]
    tested = [float(found) for found in re.findall(r"^Total Test time \(real\) = +([\d.]+) sec", log, re.M)]
    if configured:
        stage["configure_s"] = sum(configured)
    if tested:
        stage["tests_s"] = round(sum(tested))


def built(folder, began):
    """Seconds of the processes that compiled and that linked since `began`, and how many compiled."""
    sums = {"compile_s": 0.0, "link_s": 0.0, "objects": 0}
    for line in (folder / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        start, end, changed, output = line.split("\t")[:4]
        if int(changed) < began * 10**9:
            continue
        seconds = (int(end) - int(start)) / 1000
        if output.endswith((".o", ".cubin", ".ptx", ".fatbin")):
            sums["compile_s"] += seconds
            sums["objects"] += 1
        elif LINKED.search(output):
            sums["link_s"] += seconds
    return {name: round(value) for name, value in sums.items()}


def measured(build):
    began, stages = stages_of(build / "ci")
    for name, stage in stages.items():
        log = build / "ci" / f"{name}.log"
        if log.is_file():
            add_parts(stage, log.read_text(encoding="utf-8", errors="replace"))
    builds = {log.parent.name: built(log.parent, began) for log in sorted(build.glob("*/.ninja_log"))}
    return {
        "total_s": sum(stage["s"] for stage in stages.values()),
        "stages": stages,
        "builds": {name: sums for name, sums in builds.items() if sums["objects"]},
    }


def table(times, before):
    """Lines: stages with their seconds now and before, then the builds."""
    lines = [f"{'stage':<12} {'s':>6} {'before':>7} {'configure':>10} {'tests':>6}"]
    for name, stage in [*times["stages"].items(), ("total", {"s": times["total_s"]})]:
        was = before.get("total_s") if name == "total" else before.get("stages", {}).get(name, {}).get("s")
        cells = [was, stage.get("configure_s"), stage.get("tests_s")]
        shown = ["" if cell is None else str(cell) for cell in cells]
        lines.append(f"{name:<12} {stage['s']:>6} {shown[0]:>7} {shown[1]:>10} {shown[2]:>6}".rstrip())
    lines.append(f"{'build':<12} {'objects':>8} {'compile s':>10} {'link s':>7}")
    for name, sums in times["builds"].items():
        lines.append(f"{name:<12} {sums['objects']:>8} {sums['compile_s']:>10} {sums['link_s']:>7}")
    return lines


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--against", type=pathlib.Path, help="times of an earlier run")
    options.add_argument("--out", type=pathlib.Path, help="file for this run's times")
    given = options.parse_args()
    times = measured(given.build)
    before = {}
    if given.against and given.against.is_file():
        before = json.loads(given.against.read_text(encoding="utf-8"))
    print("\n".join(line.rstrip() for line in table(times, before)))
    if given.out:
        given.out.write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
