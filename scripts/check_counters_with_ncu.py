#!/usr/bin/env python3
"""Compares the counters that Ablate reads with those of Nsight Compute, on the same cases.

    scripts/check_counters_with_ncu.py --ablate build/release/ablate --out counters_vs_ncu.md

Runs on a machine with a GPU, CUPTI and ncu. Ablate reads each group of counters in process; ncu watches
`ablate launch`, which brings the caches to the case's state with the same flush and launches the case alone between
cudaProfilerStart and cudaProfilerStop. Both collect the same one-pass lists, without touching clocks or caches.

Judged: instructions within 1 %; L2 sectors and requests of the SMs (srcunit_tex) and L1's within 1 %; DRAM bytes read
above 64 MiB within 2 %; percentages of peak within 3 points for kernels of 50 us and more. The other L2 counts hold what
crosses between the halves of L2 as well, which depends on where the driver puts a process's memory: they are shown.

ncu reads every list twice. A value is held against the range of its readings; where these are further apart than the
bound, the kernel does not do the same work twice (stores merge in L1 as they happen to come), and the value is shown and
not judged. Exit code 1 when one of these does not hold.
"""
import argparse
import csv
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

GROUPS = ["core", "memory_l2_tex", "shared", "atomics", "tensor_bf16"]
VARIANTS = ["global_atomic", "smem_hashed", "smem_point_cache", "warp_match", "packed_pair"]
NCU_READINGS = 2
MIB = 1 << 20
# A count so small that what else happens on the device is a visible part of it.
SMALLEST_JUDGED_COUNT = 10_000


def suite():
    """At least ten cases: two sizes (the larger reads 96 MiB), shared atomics, several kernels, one with mma."""
    counters = ",".join(GROUPS)
    voxelize = {"operation": "voxelize", "variants": VARIANTS, "cache": "cold-clean", "counters": counters}
    return {
        "name": "counters_vs_ncu",
        "description": "The same cases for Ablate and for Nsight Compute.",
        "counters": "core",
        "sampling": {"maximum_seconds": 0.05},
        "cases": [
            {**voxelize, "axes": {"points": [262144, 8388608], "grid": 128, "distribution": "uniform"}},
            {**voxelize, "variants": ["smem_hashed"],
             "axes": {"points": 1048576, "grid": 128, "distribution": "lidar", "frame": "vehicle"}},
            {"operation": "ceilings", "cache": "cold-clean", "counters": counters, "variants": ["mma_sync_bf16"],
             "axes": {"resource": "tensor_bf16_flops"}},
            {"operation": "ceilings", "cache": "cold-clean", "counters": counters, "variants": ["red_scattered"],
             "axes": {"resource": "atomics_distinct"}},
        ],
    }


def run(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words[:3])} … ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def profile_with_ncu(ncu, ablate, suite_path, metrics, filter_re, directory):
    """[(case, kernel index, kernel name, {metric: value})] in launch order."""
    log = directory / "ncu.csv"
    launched = run([ncu, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none",
                    "--metrics", ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base",
                    "--log-file", str(log), ablate, "launch", str(suite_path), "--filter", filter_re])
    cases = [json.loads(line) for line in launched.splitlines() if line.startswith("{")]
    expected = [(case["name"], index, kernel) for case in cases for index, kernel in enumerate(case["kernels"])]
    for case in cases:
        if case["output"] != "ok":
            sys.exit(f"{case['name']}: the output under ncu differs from the oracle")
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row["ID"]]  # the row below the header holds units
    if len(rows) != len(expected):
        sys.exit(f"ncu saw {len(rows)} kernels where {len(expected)} ran; its log ends:\n{log.read_text()[-3000:]}")
    result = []
    for row, (case, index, kernel) in zip(rows, expected):
        if plain_name(row["Kernel Name"]) != plain_name(kernel):
            sys.exit(f"{case}: ncu saw {row['Kernel Name']} where {kernel} ran")
        result.append((case, index, kernel, {m: number(row[m]) for m in metrics if m in row}))
    return result


def plain_name(kernel):
    """multiply_in_registers, of any way to write the kernel's signature."""
    text = re.sub(r"\(anonymous namespace\)::", "", kernel)
    return re.split(r"[<(]", text.replace("void ", ""), maxsplit=1)[0].split("::")[-1]


def judge(metric, ours, theirs, duration_ns):
    """(difference as text, what it may be or None, whether it holds)."""
    if "pct" in metric:
        difference = abs(ours - theirs)
        judged = "pct_of_peak" in metric and duration_ns >= 50_000
        return difference, "points", 3.0 if judged else None
    difference = 100 * abs(ours - theirs) / abs(theirs) if theirs else (0.0 if ours == theirs else float("inf"))
    bound = None
    if "inst_executed" in metric and metric.endswith(".sum"):
        bound = 1.0
    elif re.match(r"(lts|l1tex)__t_(sectors|requests)_(srcunit_tex|pipe)\w*\.sum$", metric) and \
            max(ours, theirs) >= SMALLEST_JUDGED_COUNT:
        bound = 1.0
    elif metric == "dram__bytes_read.sum" and theirs > 64 * MIB:
        bound = 2.0
    return difference, "%", bound


def nearest(readings, value):
    """The point of the readings' range that is nearest to the value."""
    return min(max(value, min(readings)), max(readings))


def compare(ablate_record, ncu_by_group):
    ours_by_case = {entry["name"]: entry["counters"] for entry in ablate_record["benchmarks"]}
    columns = ablate_record["context"]["ablate"].get("counter_columns")
    names_by_case = {name: columns[counters["columns"]] if "columns" in counters else list(counters["values"])
                     for name, counters in ours_by_case.items()}
    readings = {}
    for runs in ncu_by_group.values():
        for case, index, _, values in itertools.chain(*runs):
            for metric, value in values.items():
                if value is not None:
                    readings.setdefault((case, index, metric), []).append(value)
    pairs = []
    for group, runs in ncu_by_group.items():
        for case, index, kernel, theirs in runs[0]:
            values = dict(zip(names_by_case[case], ours_by_case[case]["kernels"][index]))
            duration = theirs.get("gpu__time_duration.sum") or 0
            for metric, their_value in theirs.items():
                our_value = values.get(metric)
                if our_value is None or their_value is None:
                    continue
                same = readings[case, index, metric]
                their_value = nearest(same, our_value)
                difference, unit, bound = judge(metric, our_value, their_value, duration)
                if bound is not None and judge(metric, max(same), min(same), duration)[0] > bound:
                    bound = None
                pairs.append({"group": group, "case": case, "kernel": plain_name(kernel), "metric": metric,
                              "ours": our_value, "theirs": their_value, "difference": difference, "unit": unit,
                              "bound": bound, "holds": bound is None or difference <= bound})
    return pairs


def shown(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def short(case):
    operation, variant, *axes = case.split("/")
    keep = [a.split("=")[1] for a in axes if a.split("=")[0] in ("points", "distribution", "resource")]
    return f"{operation}/{variant} {' '.join(keep)}"


def markdown(pairs, device, ncu_version):
    judged = [p for p in pairs if p["bound"] is not None]
    broken = [p for p in judged if not p["holds"]]
    cases = sorted({p["case"] for p in pairs})
    lines = ["# Counters of Ablate and of Nsight Compute", "",
             f"{device}; {ncu_version}. {len(cases)} cases, {len(pairs)} pairs of values of single kernels, "
             f"{len(judged)} of them judged: {len(judged) - len(broken)} hold, {len(broken)} do not. Made by "
             "`scripts/check_counters_with_ncu.py`, which says what is judged and how.", "",
             "| metric | kernels | judged | bound | largest difference | where | Ablate | ncu | holds |",
             "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- |"]
    for metric in sorted({p["metric"] for p in pairs}):
        of_metric = [p for p in pairs if p["metric"] == metric]
        counted = [p for p in of_metric if p["bound"] is not None]
        worst = max(counted or of_metric, key=lambda p: p["difference"])
        bound = f"{worst['bound']:g} {worst['unit']}" if counted else "–"
        verdict = "–" if not counted else "yes" if all(p["holds"] for p in counted) else "**no**"
        lines.append(f"| `{metric}` | {len(of_metric)} | {len(counted)} | {bound} | {worst['difference']:.2f} "
                     f"{worst['unit']} | {short(worst['case'])}, {worst['kernel']} | {shown(worst['ours'])} | "
                     f"{shown(worst['theirs'])} | {verdict} |")
    lines += ["", "## Cases", ""] + [f"- `{case}`" for case in cases]
    if broken:
        lines += ["", "## What does not hold", ""]
        lines += [f"- `{p['metric']}` of {p['kernel']} in `{p['case']}`: Ablate {shown(p['ours'])}, ncu "
                  f"{shown(p['theirs'])}" for p in broken]
    return "\n".join(lines) + "\n", broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ablate", default="build/release/ablate", help="the program [%(default)s]")
    parser.add_argument("--ncu", default="ncu", help="Nsight Compute's command line [%(default)s]")
    parser.add_argument("--out", type=pathlib.Path, help="where the Markdown goes [standard output]")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        suite_path = directory / "suite.json"
        suite_path.write_text(json.dumps(suite()))
        run([given.ablate, "run", str(suite_path), "--out", str(directory / "out"), "--device", "0"])
        record = json.loads((directory / "out" / "record.json").read_text())
        facts = record["context"]["ablate"]
        asked = [e for e in record["benchmarks"] if "ceiling" not in e]
        filter_re = "^(" + "|".join(re.escape(e["name"]) for e in asked) + ")$"
        missing = [e["name"] for e in asked if not e["counters"]["kernels"]]
        if missing:
            sys.exit(f"Ablate read no counters: {asked[0]['counters']['reason']}")
        ncu_by_group = {group: [profile_with_ncu(given.ncu, given.ablate, suite_path,
                                                 facts["counters"]["groups"][group], filter_re, directory)
                                for _ in range(NCU_READINGS)]
                        for group in GROUPS}
        version = run([given.ncu, "--version"]).strip().splitlines()[-1]

    text, broken = markdown(compare(record, ncu_by_group), facts["device"]["name"], "ncu " + version)
    if given.out:
        given.out.write_text(text)
    else:
        print(text)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
