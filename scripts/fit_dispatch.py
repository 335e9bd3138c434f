#!/usr/bin/env python3
"""Fits the costs by which kernel_map's rule chooses a variant, and judges the rule.

    scripts/fit_dispatch.py FIT                writes kernels/kernel_map/dispatch_costs.h from a record of suites/dispatch_fit.json
    scripts/fit_dispatch.py FIT --score SCORE  judges that fit on those workloads of a record that it has not seen; writes nothing

Least squares of relative errors with costs of zero or more (scipy.optimize.nnls), a variant at a time, over the cases that
time a whole map with cold caches, all enqueued beforehand. A record to judge by may have another part of the host (--host). The
terms, and when cells are counted, are those of kernels/kernel_map/dispatch.cpp.

The rule is judged with the number of cells known for nothing, as the program counts them, and with what counting takes.
"""
import argparse
import json
import pathlib
import statistics
import sys

import numpy
import scipy.optimize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reports/python"))

import ablate_record  # noqa: E402

COSTS = pathlib.Path(__file__).resolve().parent.parent / "kernels/kernel_map/dispatch_costs.h"
TERMS = ("fixed", "row", "probe", "entry", "pair", "cell", "cell_offset", "chain")
OF_TABLE, OF_CELLS = ("fixed", "row", "probe", "entry", "pair"), ("fixed", "row", "pair", "cell", "cell_offset")
FITTED = {"flat": OF_TABLE, "flat_symmetric": OF_TABLE, "hierarchical_bitmap": OF_TABLE,
          "hierarchical_bitmap_symmetric": OF_TABLE, "cells": OF_CELLS, "cells_symmetric": OF_CELLS + ("chain",)}
PUBLISHED = ("flat", "hierarchical")
VOXELS_OF_CELL, L2_BYTES, SLOT_BYTES, ROWS_OF_FULL_BITMAP_SEARCH = 64, 50e6, 12, 2 * 132 * 64
SURVEY_FIXED_US, SURVEY_ROW_US = 38, 5e-6
AS_FAST = 1.02  # as reports/views/dispatch.cpp has it
NEAR = 1.05  # what the rule is to be within


def whole_maps(path, host="absent"):
    """The cases that time a whole map, by workload: {axes: {variant: case}}."""
    try:
        cases = ablate_record.load(path).cases
    except (OSError, ablate_record.RecordError) as error:
        sys.exit(f"{path}: expected a record of `ablate run`: {error}")
    workloads = {}
    for of_today in cases:
        case, axes = of_today.raw, dict(of_today.axes)
        if (of_today.operation == "kernel_map" and case.get("status") == "ok" and of_today.cache_state == "cold-clean"
                and (axes["region"], axes["host"], axes["output"], axes["lists"]) == ("all", host, "lists", "all")):
            workloads.setdefault(json.dumps(axes), {})[of_today.variant] = case
    if not workloads:
        sys.exit(f"{path}: expected cases of kernel_map with region=all, host={host}, output=lists, cold-clean")
    return workloads


def unseen(workloads, fitted):
    """Those whose scene, rows and kernel are in no workload of the fit."""
    def kind(axes):
        return tuple(json.loads(axes)[name] for name in ("scene", "rows", "kernel"))

    seen = {kind(axes) for axes in fitted}
    return {axes: found for axes, found in workloads.items() if kind(axes) not in seen}


def terms_of(variant, facts):
    rows, outs, offsets, load = facts["points"], facts["outs"], facts["offsets"], facts["load"]
    cells = max(facts["coarse_cells_per_row"] * rows, 1)
    taken = max(0, rows / cells - 1) / (VOXELS_OF_CELL - 1)
    probes = (1 + 1 / (1 - load) ** 2) / 2
    beyond_l2 = 1 + max(0, 1 - L2_BYTES / (SLOT_BYTES * facts["slots"]))
    searched = 0 if variant.startswith("cells") else max(outs, ROWS_OF_FULL_BITMAP_SEARCH) if "bitmap" in variant else outs
    entries = searched * (offsets // 2 if variant.endswith("_symmetric") else offsets)
    return {"fixed": 1, "row": beyond_l2 * rows, "probe": beyond_l2 * probes * entries, "entry": entries,
            "pair": outs * (1 + (offsets - 1) * taken), "cell": cells, "cell_offset": cells * offsets,
            "chain": rows / cells * taken}


def fit(workloads):
    costs = {}
    for variant, names in FITTED.items():
        cases = [found[variant] for found in workloads.values() if variant in found]
        if len(cases) < len(names):
            sys.exit(f"{variant}: expected at least {len(names)} cases to fit {len(names)} costs to, found {len(cases)}")
        us = numpy.array([case["time_us"]["median"] for case in cases])
        terms = numpy.array([[terms_of(variant, case["input"])[name] for name in names] for case in cases])
        scale = numpy.abs(terms).max(axis=0)
        found, _ = scipy.optimize.nnls(terms / scale / us[:, None], numpy.ones(len(us)))
        fitted = dict(zip(names, found / scale))
        error = terms @ (found / scale) / us - 1
        print(f"{variant}: {len(cases)} cases, relative error {100 * numpy.sqrt((error ** 2).mean()):.1f} % (rms), "
              f"{100 * numpy.abs(error).max():.1f} % at most")
        costs[variant] = {name: float(f"{fitted.get(name, 0):.4g}") for name in TERMS}
    return costs


def estimated(costs, variant, facts):
    return sum(costs[variant][name] * term for name, term in terms_of(variant, facts).items())


def survey_us(facts):
    return SURVEY_FIXED_US + SURVEY_ROW_US * facts["points"]


def choose(costs, candidates, facts):
    """The variant that the program takes, and whether it counts cells before: if what counting takes is less than the variant
    that is best without is over the best, both relative to the best and on average over cells of 1, 2, 4, … 64 rows."""
    over_best, survey_over_best = dict.fromkeys(candidates, 0), 0
    for log2_rows in range(VOXELS_OF_CELL.bit_length()):
        times = {v: estimated(costs, v, {**facts, "coarse_cells_per_row": 2.0 ** -log2_rows}) for v in candidates}
        best = min(times.values())
        for variant, us in times.items():
            over_best[variant] += us / best
        survey_over_best += (best + survey_us(facts)) / best
    blind = min(over_best, key=over_best.get)
    if over_best[blind] <= survey_over_best:
        return blind, False
    return min(candidates, key=lambda v: estimated(costs, v, facts)), True


def facts_of(found):
    return next(iter(found.values()))["input"]


def judge(name, workloads, choice_of, candidates):
    """How often a rule takes the fastest of all variants measured, and the fastest of `candidates`; with what counting cells
    takes, if the rule ever does."""
    over_all, over_own, with_survey, counts = [], [], [], 0
    for found in workloads.values():
        pick, surveys = choice_of(found)
        if pick not in found:
            continue
        us = {variant: case["time_us"]["median"] for variant, case in found.items()}
        best = min(us.values())
        over_all.append(us[pick] / best)
        over_own.append(us[pick] / min(time for variant, time in us.items() if variant in candidates))
        with_survey.append((us[pick] + surveys * survey_us(facts_of(found))) / best)
        counts += surveys
    of = [f"{sum(x <= AS_FAST for x in over)} of {len(over)} (median {statistics.median(over):.2f}, worst {max(over):.2f} times the best)"
          for over in (over_all, over_own)]
    print(f"{name}: the fastest of all {of[0]}; the fastest of {', '.join(candidates)} {of[1]}")
    if counts:
        print(f"    counts cells on {counts}, and with that cost is within {100 * (NEAR - 1):.0f} % of the best on "
              f"{sum(x <= NEAR for x in with_survey)} of {len(with_survey)} "
              f"(mean {statistics.geometric_mean(with_survey):.3f}, worst {max(with_survey):.2f} times the best)")


def judge_all(title, costs, workloads):
    workloads = {axes: found for axes, found in workloads.items() if len(set(found) & set(FITTED)) > 1}
    print(f"{title}: {len(workloads)} workloads")

    def of_known_cells(found):
        return min((v for v in FITTED if v in found), key=lambda v: estimated(costs, v, facts_of(found))), False

    def recorded(rule):
        return lambda found: (facts_of(found)["dispatch"][rule], False)

    judge("  these costs", workloads, of_known_cells, tuple(FITTED))
    judge("  these costs, as the program counts cells", workloads, lambda found: choose(costs, FITTED, facts_of(found)), tuple(FITTED))
    judge("  measured, as the program that was run had it", workloads, recorded("measured"), tuple(FITTED))
    judge("  published", workloads, recorded("published"), PUBLISHED)


def write(costs):
    text = COSTS.read_text(encoding="utf-8")
    begin = text.index("map_costs[] = {\n") + len("map_costs[] = {\n")
    end = text.index("};", begin)
    lines = "".join(f'    {{"{variant}", {", ".join(f"{cost[name]:.4g}" for name in TERMS)}}},\n'
                    for variant, cost in costs.items())
    COSTS.write_text(text[:begin] + lines + text[end:], encoding="utf-8")
    print(f"wrote {COSTS}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("fit", help="record of suites/dispatch_fit.json")
    arguments.add_argument("--score", help="record of suites/dispatch_score.json, or of another suite of kernel maps")
    arguments.add_argument("--host", default="absent", help="of SCORE, the cases with this part of the host (default: %(default)s)")
    options = arguments.parse_args()
    workloads = whole_maps(options.fit)
    costs = fit(workloads)
    judge_all("fitted to", costs, workloads)
    if options.score:
        scored = unseen(whole_maps(options.score, options.host), workloads)
        if not scored:
            sys.exit(f"{options.score}: expected workloads that {options.fit} does not have")
        judge_all("scored on", costs, scored)
    else:
        write(costs)


if __name__ == "__main__":
    main()
