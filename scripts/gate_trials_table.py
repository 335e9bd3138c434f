#!/usr/bin/env python3
"""Sums up the results of scripts/gate_trials.sh: writes summary.json and summary.md beside them.

A false positive is a case of identical code that the gate finds SLOWER or FASTER; a miss is a case with an injected
delay that it does not find SLOWER. Both are shown beside the usual gate on the same launches: the Mann-Whitney U test, as
Google Benchmark's compare.py has it, on the samples of one launch each, at p < 0.05.
"""

import json
import pathlib
import re
import sys

SIZES = [("< 20 us", 0, 20), ("20 to 50 us", 20, 50), (">= 50 us", 50, float("inf"))]
LEVEL = 0.05


def results(folder):
    for path in sorted(folder.glob("*.json")):
        if re.match(r"(aa|plus)", path.name):
            yield path.stem, json.loads(path.read_text())


def blank():
    return {"trials": 0, "slower": 0, "faster": 0, "inconclusive": 0, "invalid": 0, "too_noisy": 0, "delta_above": 0,
            "single_pairs": 0, "single_pairs_rejected": 0}


def add(row, case):
    row["trials"] += 1
    word = case["verdict"].lower()
    if word in row:
        row[word] += 1
    row["single_pairs"] += len(case["single_launch_p"])
    row["single_pairs_rejected"] += sum(p < LEVEL for p in case["single_launch_p"])


def summarize(folder):
    rows, gates = {}, []
    # A case that is INVALID has no time of its own.
    floors = folder / "floors.json"
    calibrated = json.loads(floors.read_text())["cases"] if floors.exists() else {}
    for name, gate in results(folder):
        percent = gate["injected_delay_pct"] or 0
        into = re.compile(gate["injected_into"] or "")
        timed = [case for case in gate["cases"] if not case["control"]]
        gates.append({"name": name, "injected_pct": percent, "verdict": gate["verdict"], "reason": gate["reason"],
                      "exit_code": gate["exit_code"], "cases": len(timed), "flagged": gate["flagged"],
                      "pairs": gate["cost"]["pairs"], "seconds": gate["cost"]["seconds"],
                      "counters_compared": gate["counters"]["compared"],
                      "counters_varying": gate["counters"]["varying"],
                      "counters_changed": len(gate["counters"]["changes"])})
        for case in timed:
            is_injected = percent > 0 and into.search(case["name"])
            time_us = case["baseline_us"] or calibrated.get(case["name"], {}).get("baseline_us", 0)
            for label, low, high in SIZES:
                if low <= time_us < high:
                    add(rows.setdefault((percent if is_injected else 0, label), blank()), case)
                    if is_injected and case["delta_pct"] >= percent:
                        rows[percent, label]["delta_above"] += 1
    table = [{"injected_pct": percent, "size": label, **rows[percent, label]}
             for percent in sorted({p for p, _ in rows}) for label, _, _ in SIZES if (percent, label) in rows]
    return {"gates": gates, "table": table}


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def markdown(summary):
    lines = ["# Trials of the gate", "",
             "Injected is what was added to a case's time on purpose. Errors are false positives (SLOWER or FASTER) where "
             "nothing was injected, misses (not SLOWER) elsewhere; where delta is not below what was injected, a miss is by design. The last column is the Mann-Whitney U test on single "
             "launches of the same data, at p < 0.05: its false positives and misses.", "",
             "| injected | cases | trials | errors | share | too noisy to gate | delta not below it | inconclusive | invalid | errors of the U test |",
             "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in summary["table"]:
        judged = row["trials"] - row["too_noisy"]
        if row["injected_pct"] == 0:
            errors, usual = row["slower"] + row["faster"], row["single_pairs_rejected"]
        else:
            errors, usual = judged - row["slower"], row["single_pairs"] - row["single_pairs_rejected"]
        lines.append(f"| {row['injected_pct']:g} % | {row['size']} | {row['trials']} | {errors} | {share(errors, judged)} | "
                     f"{row['too_noisy']} | {row['delta_above']} | {row['inconclusive']} | {row['invalid']} | {share(usual, row['single_pairs'])} |")
    lines += ["", "## Every gate", "",
              "| gate | injected | verdict | exit code | cases | flagged | launches | seconds | seconds a case | "
              "counters compared | changed |",
              "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for gate in summary["gates"]:
        lines.append(f"| {gate['name']} | {gate['injected_pct']:g} % | {gate['verdict']} | {gate['exit_code']} | {gate['cases']} | "
                     f"{gate['flagged']} | {2 * gate['pairs']} | {gate['seconds']:.0f} | "
                     f"{gate['seconds'] / max(gate['cases'], 1):.1f} | {gate['counters_compared']} | "
                     f"{gate['counters_changed']} |")
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    summary = summarize(folder)
    if not summary["gates"]:
        sys.exit(f"{folder}: no results of trials; expected aa-*.json or plus*.json")
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    text = markdown(summary)
    (folder / "summary.md").write_text(text)
    print(text, end="")


main()
