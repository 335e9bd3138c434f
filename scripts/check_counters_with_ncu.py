#!/usr/bin/env python3
"""Compares the counters that Ablate reads with those of Nsight Compute, on the same cases.

    scripts/check_counters_with_ncu.py --ablate build/release/ablate --out counters_vs_ncu.md

Runs on a machine with a GPU, CUPTI and ncu. Ablate reads each group of counters in process; ncu watches
`ablate dev launch`, which brings the caches to the case's state with the same flush and launches the case alone between
cudaProfilerStart and cudaProfilerStop. Both collect the same one-pass lists, without touching clocks or caches. The
cases are of every operation, of several kernels wherever it has such a variant.

Compared are single kernels, and cases of several kernels: Ablate's value of the case against the sums of ncu's kernels,
ratios as sums of numerators over sums of denominators, which ncu is asked for as well.

RULES says how near the two have to be. What a counter of time or a share of it may differ by grows with what a kernel's
ends weigh: an otherwise idle microsecond in a kernel of ten is 10 %. Each of the two reads everything twice; the ranges
of the readings are held against each other, either made wider by its own width at both ends, since a third reading may
well be outside of two. Not judged, each with its reason: where one's own readings are further apart than the bound, so
that the kernel does not do the same work twice; where the ends weigh more than a fifth; a hit rate of few look-ups; a
value that one of the two does not have. A case that one of the readings lacks is named and left out. Exit code 1 when one
that is judged does not hold.
"""
import argparse
import collections
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple, Optional

READINGS = 2
MIB = 1 << 20
MOST_WEIGHT_OF_ENDS = 0.2
FEWEST_LOOK_UPS = 10_000
DEFINITIONS = pathlib.Path(__file__).resolve().parent.parent / "harness" / "counters" / "metric_groups.json"


class Rule(NamedTuple):
    """The two values may differ by `relative` of ncu's, and `absolute` a kernel; of percentages by `points`; and by what
    `idle_ns` more or less at each kernel's ends makes of a time or a share of it."""
    pattern: str
    relative: float = 0
    absolute: float = 0
    points: float = 0
    idle_ns: float = 0

    def allowed(self, value, kernels, duration_ns):
        return (self.relative * abs(value) + self.absolute * kernels + self.points +
                abs(value) * self.weight_of_ends(kernels, duration_ns))

    def weight_of_ends(self, kernels, duration_ns):
        return self.idle_ns * kernels / duration_ns

    def __str__(self):
        parts = [(self.relative, f"{100 * self.relative:g} %"), (self.absolute, f"{self.absolute:,g}"),
                 (self.points, f"{self.points:g} points"), (self.idle_ns, f"{self.idle_ns / 1000:g} µs")]
        return " + ".join(text for amount, text in parts if amount)


# The first that matches. Plain counts of L2 hold what crosses between its halves, which depends on where the driver puts
# a process's memory; srcunit_tex is what the SMs ask. What is written to DRAM depends on when L2 evicts it.
RULES = [
    Rule(r"__cycles_elapsed\.avg\.per_second$", relative=0.03),
    Rule(r"^gpu__time_duration|__cycles_(elapsed|active)\.(avg|max|sum)$", relative=0.05, idle_ns=2000),
    Rule(r"\.pct_of_peak_", points=2, idle_ns=1000),
    Rule(r"\.per_cycle_active$", relative=0.05, idle_ns=1000),
    Rule(r"hit_rate\.pct$", points=5),
    Rule(r"^dram__bytes_read\.sum", relative=0.02, absolute=MIB),
    Rule(r"^dram__bytes_write\.sum", relative=0.1, absolute=2 * MIB),
    Rule(r"^lts__t_\w*srcunit_tex_lookup_hit\.sum", relative=0.01, absolute=2000),
    Rule(r"^lts__t_\w*srcunit_tex\w*\.sum", relative=0.01, absolute=100),
    Rule(r"^lts__", relative=0.05, absolute=5000),
    Rule(r"bank_conflicts|inst_issued", relative=0.02, absolute=500),
    Rule(r"\.sum$", relative=0.01, absolute=100),
]


def suite():
    """Every operation, by variants of several kernels where it has some; voxelization in all groups, the larger size
    reading 96 MiB."""
    def cases(operation, variants, counters="core", **axes):
        return {"operation": operation, "variants": variants.split(), "cache": "cold-clean", "counters": counters,
                "axes": axes}

    memory = "core,memory_l2_tex,shared,atomics"
    lidar = {"distribution": "lidar", "frame": "vehicle"}
    attention = {"tokens": 16384, "window": 1024, "heads": 8, "width": "16"}
    return {
        "name": "counters_vs_ncu",
        "description": "The same cases for Ablate and for Nsight Compute.",
        "counters": "core",
        "sampling": {"maximum_seconds": 0.02},
        "cases": [
            cases("voxelize", "global_atomic smem_hashed", memory, points=8388608, grid=128, distribution="uniform"),
            cases("voxelize", "smem_point_cache warp_match packed_pair sorted_segments", memory, points=1048576, grid=128,
                  **lidar),
            cases("voxel_mean", "sorted", memory, points=524288, **lidar),
            cases("hard_voxelize", "sorted", kept="first", points=250000, **lidar),
            cases("voxel_pipeline", "smem_fused", points=1048576, grid=128, distribution="uniform"),
            cases("psh_bucket", "two_stage", memory, hash="z_div", mode="published"),
            cases("serialize", "tables", curve="z", patch=1024, points=620435),
            cases("kernel_map", "hierarchical", scene="lidar_10cm", rows=100000, kernel="5"),
            cases("coordinate_expand", "load_first_aggregated", scene="lidar_10cm", rows=100000, kernel="3"),
            cases("unique_rows", "sort", slots=2097152, rows=1000000, multiplicity=8, order="shuffled"),
            cases("hash_insert", "packed", memory, slots=4194304, region="clear_insert"),
            cases("hash_search", "packed", memory, slots=4194304),
            cases("hash_avalanche", "warp_ballots"),
            cases("window_attention", "hopper_gathered", "core,tensor_bf16", order="scanned", rows="scan", **attention),
            cases("window_attention_backward", "hopper_reduced", "core,tensor_bf16", order="shuffled", **attention),
            cases("selection_attention", "direct", "core,tensor_bf16", images=8),
            cases("selection_attention_backward", "two_pass", "core,tensor_bf16", images=8),
            cases("list_transpose", "count_ordered", "core", images=8),
            cases("token_merging", "match_mma", "core,tensor_bf16", images=16),
            cases("block_sparse_selection", "histogram", "core", images=32),
            cases("compression_attention", "two_pass", "core,tensor_bf16", images=32),
            cases("compression_attention_backward", "mma_two_pass", "core,tensor_bf16", images=32),
            cases("block_pooling", "warp_per_block", memory, images=32),
            cases("block_pooling_backward", "warp_per_block", memory, images=32),
            cases("pool", "flags_of_orders", memory, clusters="grid", points_as="raw", points=620435),
            cases("gated_attention", "threshold", "core,tensor_bf16", images=16),
            cases("gated_attention_backward", "threshold", "core,tensor_bf16", images=4, heads=2),
            cases("dense_attention", "mma", "core,tensor_bf16", images=4, heads=2),
            cases("dense_attention_backward", "mma", "core,tensor_bf16", images=8, heads=2),
            cases("block_sparse_attention", "searched", "core,tensor_bf16", images=16),
            cases("block_sparse_attention_backward", "mma", "core,tensor_bf16", images=8, heads=2),
            cases("merged_attention", "chains", "core,tensor_bf16", images=8, heads=2),
            cases("pooled_key_attention", "mma", "core,tensor_bf16", images=16),
            cases("row_norm", "separate one_row", rows=24576, channels="64", kind="residual_layer"),
            cases("linear", "own_mma own_wgmma", rows=24576, channels="128", shape="qkv"),
            cases("mlp", "fused_act fused_mma", rows=24576, channels="128"),
            cases("sparse_conv", "output_tiles_by_mask lists_fused", "core,tensor_bf16", level=4, channels="256"),
            cases("block", "fused_mma", "core,tensor_bf16", rows=4096, channels="128"),
            cases("backbone", "fused", "core,tensor_bf16", model="small", points=2000, points_as="raw", window=256,
                  bucket=128),
            cases("reduction", "smem_shuffles"),
            cases("multimodal_fusion", "launch_per_stream", batch=32),
            cases("trajectory_resample", "per_element"),
            cases("matmul", "smem_tiles", size=1000),
            cases("convolution", "smem_tile", size=2048),
            cases("jacobian", "smem_parameters"),
            cases("ceilings", "mma_sync_bf16", "core,tensor_bf16", resource="tensor_bf16_flops"),
            cases("ceilings", "red_scattered", memory, resource="atomics_distinct"),
        ],
    }


def run(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words[:3])} … ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def plain_name(kernel):
    """multiply_in_registers, of any way to write the kernel's signature."""
    text = re.sub(r"\(anonymous namespace\)::", "", kernel)
    return re.split(r"[<(]", text.replace("void ", ""), maxsplit=1)[0].split("::")[-1]


def record_file(reading):
    """Where Ablate's reading goes, in the temporary folder."""
    return f"out{reading}/record.json"


def log_file(group, reading):
    """Where ncu's reading of a group goes, there too."""
    return f"ncu_{group}_{reading}.csv"


def profile_with_ncu(ncu, ablate, suite_path, metrics, cases, log):
    """{case: [{metric: value} of each kernel, in launch order]}"""
    filter_re = "^(" + "|".join(re.escape(case) for case in cases) + ")$"
    launched = run([ncu, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none",
                    "--metrics", ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base",
                    "--log-file", str(log), ablate, "dev", "launch", str(suite_path), "--filter", filter_re])
    launches = [json.loads(line) for line in launched.splitlines() if line.startswith("{")]
    for case in launches:
        if case["output"] != "ok":
            sys.exit(f"{case['name']}: the output under ncu differs from the oracle")
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(lines) if row["ID"]]  # the row below the header holds units
    expected = [(case["name"], kernel) for case in launches for kernel in case["kernels"]]
    if len(rows) != len(expected):
        sys.exit(f"ncu saw {len(rows)} kernels where {len(expected)} ran; its log ends:\n{log.read_text()[-3000:]}")
    result = collections.defaultdict(list)
    for row, (case, kernel) in zip(rows, expected):
        if plain_name(row["Kernel Name"]) != plain_name(kernel):
            sys.exit(f"{case}: ncu saw {row['Kernel Name']} where {kernel} ran")
        result[case].append({m: number(row[m]) for m in metrics if m in row})
    return result


def read_with_ablate(ablate, suite_path, out, say):
    """The record of a run of the suite."""
    run([ablate, "run", str(suite_path), "--out", str(out), "--overwrite", "--device", "0", "--ceilings", "none"])
    record = json.loads((out / "record.json").read_text())
    for entry in record["unmeasured"]:
        say(f"{entry['name']}: {entry['status']}, {entry['reason']}")
    for entry in record["benchmarks"]:
        if not entry["counters"]["kernels"]:
            sys.exit(f"{entry['name']}: Ablate read no counters: {entry['counters']['reason']}")
    return record


class Reading(NamedTuple):
    """What one list of ncu says of a metric, of a kernel or of all kernels of a case."""
    value: Optional[float]
    duration_ns: float
    kernels: int
    look_ups: Optional[float]  # what a hit rate is over


def reading_of(metric, kernels, over):
    """Of one kernel or several; a ratio of several is the sum of its numerators over that of its denominators."""
    values = [kernel.get(metric) for kernel in kernels]
    weights = [kernel.get(over[metric]) for kernel in kernels] if metric in over else None
    if None in values or weights and len(kernels) > 1 and (None in weights or not sum(weights)):
        value = None
    elif len(values) == 1:
        value = values[0]
    elif weights:
        value = sum(v * w for v, w in zip(values, weights)) / sum(weights)
    else:
        value = sum(values)
    look_ups = sum(weights) if weights and None not in weights else None
    return Reading(value, sum(kernel["gpu__time_duration.sum"] for kernel in kernels), len(kernels), look_ups)


def rule_of(metric):
    return next(rule for rule in RULES if re.search(rule.pattern, metric))


def rate_rule(metric, reading):
    """Of what is counted a second: what may be counted in that time, and its ends."""
    counted = rule_of(metric)
    return counted._replace(absolute=counted.absolute * 1e9 / reading.duration_ns, idle_ns=1000)


def rule_for(metric, reading):
    is_rate = metric.endswith(".sum.per_second")
    return rate_rule(metric, reading) if is_rate else rule_of(metric)


def nearest_points(ours, theirs):
    """Of the ranges of two sets of readings, each made wider by its width at both ends."""
    def clamp(value, values):
        width = max(values) - min(values)
        return min(max(value, min(values) - width), max(values) + width)
    our_point = clamp(sum(theirs) / len(theirs), ours)
    return our_point, clamp(our_point, theirs)


def why_not_judged(metric, ours, readings, allowed):
    theirs = [reading.value for reading in readings]
    if None in ours or None in theirs:
        return "Ablate has no value" if None in ours else "ncu has no value"
    if "hit_rate" in metric and min(reading.look_ups or 0 for reading in readings) < FEWEST_LOOK_UPS:
        return f"fewer than {FEWEST_LOOK_UPS:,} look-ups"
    if max(rule_for(metric, r).weight_of_ends(r.kernels, r.duration_ns) for r in readings) > MOST_WEIGHT_OF_ENDS:
        return f"too short: its ends weigh more than {100 * MOST_WEIGHT_OF_ENDS:g} %"
    for whose, values in (("ncu", theirs), ("Ablate", ours)):
        if max(values) - min(values) > allowed:
            return f"{whose}'s own readings are further apart than the bound"
    return None


def compare_values(metric, ours, readings):
    """`ours`: what each of Ablate's readings says; `readings`: each of ncu's. {metric, ours, theirs, difference, allowed,
    why_not}: `why_not` says why the two are not judged."""
    theirs = [reading.value for reading in readings]
    known = None not in ours and None not in theirs
    our_point, their_point = nearest_points(ours, theirs) if known else (None, None)
    allowed = min(rule_for(metric, r).allowed(r.value, r.kernels, r.duration_ns) for r in readings) if known else None
    return {"metric": metric, "ours": our_point, "theirs": their_point,
            "difference": abs(our_point - their_point) if known else None, "allowed": allowed,
            "why_not": why_not_judged(metric, ours, readings, allowed)}


def values_of_record(record):
    """{case: ({metric: value of the case}, [{metric: value} of each kernel])}"""
    columns = record["context"]["ablate"].get("counter_columns")
    result = {}
    for entry in record["benchmarks"]:
        counters = entry["counters"]
        if "columns" in counters:
            names = columns[counters["columns"]]
            values = dict(zip(names, counters["values"]))
        else:
            values = counters["values"]
        result[entry["name"]] = (values, [dict(zip(values, row)) for row in counters["kernels"]])
    return result


def launched_names(record):
    """{case: the names of its kernels in the order of launches}"""
    facts = record["context"]["ablate"]

    def name_of(kernel):  # an object, or since 1.18 the number of one that the record tells once
        return kernel["name"] if isinstance(kernel, dict) else facts["kernel_names"][facts["launches"][kernel]["kernel"]]

    return {entry["name"]: [plain_name(name_of(kernel)) for kernel in entry["kernels"]] for entry in record["benchmarks"]}


def files_without(case, ours, group, readings):
    """The readings that lack the case, by the names of their files."""
    return ([record_file(i) for i, reading in enumerate(ours) if case not in reading] +
            [log_file(group, i) for i, reading in enumerate(readings) if case not in reading])


def compare(records, ncu_by_group, over, say=print):
    """`records`: Ablate's readings; `ncu_by_group`: {group: [what profile_with_ncu gave, reading by reading]}; `over`:
    {ratio: its denominator}. What a reading lacks is left out, and `say` takes a line about it."""
    record = records[0]
    ours = [values_of_record(each) for each in records]
    kernels_of = launched_names(record)
    groups = record["context"]["ablate"]["counters"]["groups"]
    pairs, seen, left_out = [], set(), {}
    for group, readings in ncu_by_group.items():
        for case in dict.fromkeys(case for reading in readings for case in reading):
            if lack := files_without(case, ours, group, readings):
                left_out.setdefault(case, {}).update(dict.fromkeys(lack))
                continue
            names = kernels_of[case]
            parts = [(name, [reading[case][1][i] for reading in ours], [reading[case][i:i + 1] for reading in readings])
                     for i, name in enumerate(names)]
            if len(parts) > 1:
                parts.append((f"all {len(parts)} kernels", [reading[case][0] for reading in ours],
                              [reading[case] for reading in readings]))
            for place, (kernel, values, theirs) in enumerate(parts):
                for metric in groups[group]:
                    if (case, place, metric) in seen:  # Ablate keeps the first group's value
                        continue
                    seen.add((case, place, metric))
                    pair = compare_values(metric, [value.get(metric) for value in values],
                                          [reading_of(metric, t, over) for t in theirs])
                    pairs.append({"group": group, "case": case, "kernel": kernel, "whole": place == len(names),
                                  **pair})
    for case, files in left_out.items():
        say(f"{case}: not compared, missing from {', '.join(files)}")
    return pairs


def holds(pair):
    return pair["difference"] <= pair["allowed"]


def shown(value):
    return "–" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def short(case):
    operation, variant, *axes = case.split("/")
    keep = [a.split("=")[1] for a in axes if a.split("=")[0] in ("points", "distribution", "resource")]
    return " ".join([f"{operation}/{variant}", *keep])


def metric_row(metric, pairs):
    judged = [p for p in pairs if not p["why_not"]]
    broken = sum(not holds(p) for p in judged)
    bound = f"{rule_of(metric)} in the time + 1 µs" if metric.endswith(".sum.per_second") else rule_of(metric)
    row = f"| `{metric}` | {len(pairs)} | {len(judged)} | {bound} | "
    if not judged:
        return row + "– | – | – | – | – |"
    worst = max(judged, key=lambda p: p["difference"] / p["allowed"])
    return row + (f"{100 * worst['difference'] / worst['allowed']:.0f} % | {short(worst['case'])}, {worst['kernel']} | "
                  f"{shown(worst['ours'])} | {shown(worst['theirs'])} | {f'**{broken} not**' if broken else 'yes'} |")


def unjudged_rows(pairs):
    """One for each reason and metric."""
    by_reason = collections.defaultdict(list)
    for pair in pairs:
        if pair["why_not"]:
            by_reason[pair["why_not"], pair["metric"]].append(pair)
    for (reason, metric), of_these in sorted(by_reason.items()):
        where = collections.Counter(f"{short(p['case']).split()[0]}, {p['kernel']}" for p in of_these)
        text = "; ".join(where if len(where) <= 3 else [*list(where)[:3], f"and {len(where) - 3} more"])
        yield f"| {reason} | `{metric}` | {len(of_these)} | {text} |"


def markdown(pairs, device, ncu_version):
    judged = [p for p in pairs if not p["why_not"]]
    broken = [p for p in judged if not holds(p)]
    cases = sorted({p["case"] for p in pairs})
    operations = {case.split("/")[0] for case in cases}
    several = {p["case"] for p in pairs if p["whole"]}
    lines = ["# Counters of Ablate and of Nsight Compute", "",
             f"{device}; {ncu_version}. {len(cases)} cases of {len(operations)} operations, {len(several)} cases of several "
             f"kernels; {len(pairs)} pairs of values, {sum(p['whole'] for p in pairs)} of them of all kernels of a case. "
             f"{len(judged)} are judged: {len(judged) - len(broken)} hold, {len(broken)} do not. Made by "
             "`scripts/check_counters_with_ncu.py`, which says what is judged and how.", "",
             "The bound is what the two may differ by; µs: what so much more or less idle time at a kernel's ends makes. The "
             "worst value is the one that comes nearest to its bound.", "",
             "| metric | pairs | judged | bound | worst, of its bound | where | Ablate | ncu | hold |",
             "| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | --- |"]
    for metric in sorted({p["metric"] for p in pairs}):
        lines.append(metric_row(metric, [p for p in pairs if p["metric"] == metric]))
    if broken:
        lines += ["", "## What does not hold", ""]
        lines += [f"- `{p['metric']}` of {p['kernel']} in `{p['case']}`: Ablate {shown(p['ours'])}, ncu "
                  f"{shown(p['theirs'])}, {shown(p['difference'])} apart where {shown(p['allowed'])} are allowed"
                  for p in broken]
    if len(judged) < len(pairs):
        lines += ["", "## What is not judged, and why", "", "| reason | metric | pairs | where |",
                  "| --- | --- | ---: | --- |", *unjudged_rows(pairs)]
    lines += ["", "## Cases", ""] + [f"- `{case}`" for case in cases]
    return "\n".join(lines) + "\n", broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ablate", default="build/release/ablate", help="the program [%(default)s]")
    parser.add_argument("--ncu", default="ncu", help="Nsight Compute's command line [%(default)s]")
    parser.add_argument("--out", type=pathlib.Path, help="Markdown file to write [standard output]")
    given = parser.parse_args()

    began = time.monotonic()

    def say(what):
        print(f"{time.monotonic() - began:5.0f} s  {what}", file=sys.stderr, flush=True)

    over = {metric: facts["over"] for metric, facts in json.loads(DEFINITIONS.read_text())["metrics"].items()
            if "over" in facts}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        suite_path = directory / "suite.json"
        suite_path.write_text(json.dumps(suite()))
        records = []
        for reading in range(READINGS):
            say(f"Ablate, reading {reading + 1} of {READINGS}")
            out = (directory / record_file(reading)).parent
            records.append(read_with_ablate(given.ablate, suite_path, out, say))
        record = records[0]
        facts = record["context"]["ablate"]
        ncu_by_group = {}
        for group, metrics in facts["counters"]["groups"].items():
            asked = list(dict.fromkeys([*metrics, *(over[m] for m in metrics if m in over)]))
            cases = [e["name"] for e in record["benchmarks"] if group in e["counters"]["set"].split(",")]
            ncu_by_group[group] = []
            for reading in range(READINGS):
                say(f"ncu, group {group}, reading {reading + 1} of {READINGS}, {len(cases)} cases")
                log = directory / log_file(group, reading)
                ncu_by_group[group].append(profile_with_ncu(given.ncu, given.ablate, suite_path, asked, cases, log))
        version = run([given.ncu, "--version"]).strip().splitlines()[-1]
        say("done")

    text, broken = markdown(compare(records, ncu_by_group, over, say), facts["device"]["name"], "ncu " + version)
    if given.out:
        given.out.write_text(text)
    else:
        print(text)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
