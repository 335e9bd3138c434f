#!/usr/bin/env python3
"""Runs every kernel of every variant under compute-sanitizer's tools, on tiny inputs (docs/sanitizers.md).

    scripts/sanitize.sh [--tools memcheck,racecheck,initcheck,synccheck] [--out DIR] …

`ablate dev launch --bare` names each case and each kernel before it
runs; this reads along, several processes beside each other. Writes DIR/sanitizers.json, DIR/table.md, and each
process's output to DIR/logs. Exit code 0: no report but named exceptions, every case's output right, every kernel
launched; 1 otherwise; 2 for bad input.
"""
import argparse
import dataclasses
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import exceptions
import tables
import watched

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# Reports that a process prints; one that has more is split into its cases.
PRINT_LIMIT = 200


@dataclasses.dataclass
class Limits:
    seconds: float        # of a tool
    case_seconds: float   # of a case, its process's start included
    jobs: int
    chunk: int            # cases of a process; None: as suits the tool
    devices: list         # numbers of the GPUs


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/native/ablate", help="[build/native/ablate]")
    parser.add_argument("--suite", default=str(ROOT / "tests/sanitizers/suite.json"), help="[tests/sanitizers/suite.json]")
    parser.add_argument("--filter", default="", help="only cases whose id contains a match of this regular expression")
    parser.add_argument("--tools", default=",".join(TOOLS), help="[all four]")
    parser.add_argument("--out", default="out/sanitize", help="[out/sanitize]")
    parser.add_argument("--devices", default="0", help="numbers of the GPUs, of one kind: 0,1 [0]")
    parser.add_argument("--seconds", type=float, default=300, help="of each tool [300]")
    parser.add_argument("--case-seconds", type=float, default=120, help="of each case [120]")
    parser.add_argument("--jobs", type=int, help="concurrent processes [three for four cores, at most 14 a GPU]")
    parser.add_argument("--chunk", type=int, help="cases of a process [20, racecheck 4, initcheck 15]")
    parser.add_argument("--exceptions", default=str(ROOT / "tests/sanitizers/exceptions.json"),
                        help="[tests/sanitizers/exceptions.json]")
    parser.add_argument("--sanitizer-options", default="", help="further ones, '--num-cuda-barriers 16', say")
    parser.add_argument("--sanitizer", help="[compute-sanitizer of PATH or of /usr/local/cuda/bin]")
    given = parser.parse_args()
    given.tools = given.tools.split(",")
    try:
        given.devices = [int(number) for number in given.devices.split(",")]
    except ValueError:
        parser.error(f"--devices: expected numbers of GPUs with commas between them, found '{given.devices}'")
    given.jobs = given.jobs or max(1, min(14 * len(given.devices), (os.cpu_count() or 2) * 3 // 4))
    for tool in given.tools:
        if tool not in TOOLS:
            parser.error(f"--tools: no tool '{tool}'; expected some of {','.join(TOOLS)}")
    return given


def output_of(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def find_sanitizer(given):
    usual = pathlib.Path("/usr/local/cuda/bin/compute-sanitizer")
    found = given or shutil.which("compute-sanitizer") or (usual if usual.exists() else None)
    if not found:
        print("compute-sanitizer is missing; it comes with the CUDA Toolkit", file=sys.stderr)
        sys.exit(2)
    return str(found)


def program_facts(program):
    """{"commit": …, "sources": …, …} of `ablate --version`."""
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in output_of([program, "--version"]).splitlines()[1:]]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def gpu(device):
    """(name, compute capability as CUDA counts, 90)."""
    line = output_of(["nvidia-smi", f"--id={device}", "--query-gpu=name,compute_cap", "--format=csv,noheader"]).strip()
    name, capability = line.rsplit(",", maxsplit=1)
    return name.strip(), int(capability.strip().replace(".", ""))


def cases_of(program, suite, capability, filter_re):
    """Name of each case -> bytes on the device; one for each operation, variant and axes: `--bare` knows no cache
    states."""
    chip = "h200" if capability >= 90 else "a100"
    plan = json.loads(output_of([program, "plan", suite, "--chip", chip, "--json"]))
    by_work = {}
    for case in plan["list"]:
        if case["status"] == "to_measure" and re.search(filter_re, case["name"]):
            by_work.setdefault(case["name"].rsplit("/@", maxsplit=1)[0], (case["name"], case["device_bytes"]))
    return dict(by_work.values())


def own_kernels(program, filter_re):
    """All kernels of the program; of a selection of cases nobody expects them all."""
    if filter_re:
        return []
    listed = json.loads(output_of([program, "list", "--json"]))["kernels"]
    return [name for name in listed if tables.function_name(name).startswith("ablate::")]


def command_of(given, sanitizer, poisoned, tool, unwatched):
    on_poison = ["--poisoned", "|".join(f"({p.cases})" for p in poisoned)] if poisoned and tool == "initcheck" else []
    return [sanitizer, "--tool", tool, *watched.OPTIONS[tool], *shlex.split(given.sanitizer_options),
            *(word for kernel in unwatched for word in ("--kernel-name-exclude", "kns=" + kernel)),
            "--target-processes", "application-only", "--launch-timeout", "60", "--show-backtrace", "device",
            "--print-limit", str(PRINT_LIMIT),
            given.program, "dev", "launch", given.suite, "--bare", *on_poison]


def left_out_by(tool, cases, runs, not_run):
    """(case -> why the tool need not run it, case -> functions that it need not watch there). Only shared memory is watched
    for races, the slowest of all watches: it takes few cases that launch every kernel of every variant that has some, as
    the tools before have seen it."""
    beyond_it = {}
    for entry in not_run:
        beyond_it.update(entry.reasons(tool, cases))
    kernels = {}
    for run in runs:
        kernels.update(run.kernels_with_shared_memory)
    if tool != "racecheck" or not kernels:
        return beyond_it, {}
    chosen = watched.fewest([case for case in cases if kernels.get(case) and case not in beyond_it], kernels)
    return {case: watched.SEEN_ELSEWHERE if kernels[case] else watched.NO_SHARED_MEMORY
            for case in cases if case in kernels and case not in chosen} | beyond_it, chosen


def seconds_of(runs):
    """Case -> the longest that a tool took over it."""
    out = {}
    for run in runs:
        for case, result in run.results.items():
            out[case] = max(out.get(case, 0), result.get("seconds", 0))
    return out


def main():
    given = arguments()
    sanitizer = find_sanitizer(given.sanitizer)
    try:
        known, poisoned, not_run = exceptions.read(given.exceptions)
    except (OSError, ValueError, exceptions.BadExceptions) as e:
        print(e, file=sys.stderr)
        sys.exit(2)
    name, capability = gpu(given.devices[0])
    cases = cases_of(given.program, given.suite, capability, given.filter)
    out = pathlib.Path(given.out)
    logs = out / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    limits = Limits(given.seconds, given.case_seconds, given.jobs, given.chunk, given.devices)
    # Told to end, it tells what it has seen.
    signal.signal(signal.SIGTERM, lambda *_: setattr(limits, "seconds", 0))
    version = [line for line in output_of([sanitizer, "--version"]).splitlines() if "ersion" in line]
    facts = {"poisoned": {p.name: sum(bool(re.search(p.cases, case)) for case in cases) for p in poisoned},
             "program": program_facts(given.program), "device": name,
             "sanitizer": "compute-sanitizer " + (version[-1].split("ersion", maxsplit=1)[1].strip() if version else "?")}
    own = own_kernels(given.program, given.filter)
    runs = []
    for tool in given.tools:
        command = functools.partial(command_of, given, sanitizer, poisoned, tool)
        run = watched.ToolRun(tool, cases, *left_out_by(tool, cases, runs, not_run), seconds_of(runs), known, command, logs, limits,
                              lambda text: print(text, flush=True))
        run.run()
        runs.append(run)
        result = tables.document(facts, runs, known, own)
        (out / "sanitizers.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (out / "table.md").write_text(tables.markdown(result), encoding="utf-8")
    for tool, summary in result["tools"].items():
        found = [f for f in result["findings"] if f["tool"] == tool]
        print(f"{tool}: {summary['ended']} of {summary['cases'] - summary['not_needed']} cases ended, {summary['launches']} launches in "
              f"{summary['seconds']} s; {sum(f['exception'] is None for f in found)} findings, "
              f"{sum(f['exception'] is not None for f in found)} excepted; "
              f"{len(result['not_launched'][tool])} kernels not launched")
    for line in tables.lines_of_findings(result):
        print(line)
    for exception in known:
        if not given.filter and exception.tool in given.tools and \
                not any(f["exception"] == exception.name for f in result["findings"]):
            print(f"the exception '{exception.name}' was not needed")
    print(f"{out}/table.md, {out}/sanitizers.json, {out}/logs")
    sys.exit(0 if tables.is_clean(result) else 1)


if __name__ == "__main__":
    main()
