"""scripts/fit_dispatch.py: the committed costs are those of the committed record, and the rule is judged by what it picks."""
import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import fit_dispatch  # noqa: E402

FIT, SCORE, MILLION = (ROOT / "results/h200" / name / "record.json"
                       for name in ("dispatch_fit", "dispatch_score", "kernel_map_million"))


def quietly(function, *arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        return function(*arguments), said.getvalue()


def committed_costs():
    table = fit_dispatch.COSTS.read_text(encoding="utf-8")
    table = table[table.index("map_costs[] = {"):]
    return {variant: dict(zip(fit_dispatch.TERMS, map(float, costs.split(","))))
            for variant, costs in re.findall(r'\{"(\w+)", ([^}]*)\}', table)}


class Costs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workloads = fit_dispatch.whole_maps(FIT)
        cls.fitted, cls.said = quietly(fit_dispatch.fit, cls.workloads)

    def test_are_those_of_the_record(self):
        committed = committed_costs()
        self.assertEqual(list(self.fitted), list(committed))
        for variant, costs in committed.items():
            for term, cost in costs.items():
                # Four digits are written; another SciPy may round the last one otherwise.
                self.assertAlmostEqual(self.fitted[variant][term], cost, delta=2e-3 * cost, msg=f"{variant}, {term}")

    def judged(self, record, host):
        workloads = fit_dispatch.unseen(fit_dispatch.whole_maps(record, host), self.workloads)
        return quietly(fit_dispatch.judge_all, "scored on", self.fitted, workloads)[1]

    def test_pick_the_fastest_of_what_they_were_not_fitted_to(self):
        # At 7³ on one KITTI scan of dispatch_score the costs take bitmaps of cells, 1.26 times the fastest.
        for record, host, wanted in ((MILLION, "count", ("10", "10", "1.00")), (SCORE, "absent", ("33", "35", "1.26"))):
            judged = re.search(r"these costs: the fastest of all (\d+) of (\d+) \(.*?, worst ([\d.]+) times", self.judged(record, host))
            self.assertEqual(judged.groups(), wanted, record)

    def test_are_as_near_to_the_fastest_as_the_program_with_what_counting_cells_takes(self):
        # tests/kernels/kernel_map/committed_dispatch_test.cpp has the same of the program's rule.
        for record, host, fastest, counting in (
                (MILLION, "count", ("8", "10", "1.15"), ("5", "4", "10", "1.080", "1.17")),
                (SCORE, "absent", ("28", "35", "1.42"), ("5", "25", "35", "1.053", "1.42"))):
            said = self.judged(record, host)
            judged = re.search(r"counts cells: the fastest of all (\d+) of (\d+) \(.*?, worst ([\d.]+) times", said)
            self.assertEqual(judged.groups(), fastest, record)
            judged = re.search(r"counts cells on (\d+), .* is within 5 % of the best on (\d+) of (\d+) \(mean ([\d.]+), worst ([\d.]+) ",
                               said)
            self.assertEqual(judged.groups(), counting, record)

    def test_miss_the_times_by_as_much_as_the_program_does(self):
        # tests/kernels/kernel_map/committed_dispatch_test.cpp has the same of the program's estimates.
        errors = {variant: tuple(map(float, found)) for variant, *found in re.findall(
            r"(\w+): 30 cases, relative error ([\d.]+) % \(rms\), ([\d.]+) % at most", self.said)}
        self.assertEqual(errors, {
            "flat": (3.5, 10.4), "flat_symmetric": (4.5, 10.7), "hierarchical_bitmap": (11.0, 33.7),
            "hierarchical_bitmap_symmetric": (9.8, 31.3), "cells": (7.6, 24.0), "cells_symmetric": (11.1, 34.1)})

    def test_follow_the_times(self):
        workloads = fit_dispatch.whole_maps(FIT)
        for found in workloads.values():
            if "cells" in found:
                found["cells"]["time_us"]["median"] *= 2
        slower, _ = quietly(fit_dispatch.fit, workloads)
        for term, cost in self.fitted["cells"].items():
            self.assertAlmostEqual(slower["cells"][term], 2 * cost, delta=2e-3 * cost)
        self.assertEqual(slower["flat"], self.fitted["flat"])


class Table(unittest.TestCase):
    def test_is_written_as_it_is_committed(self):
        committed = fit_dispatch.COSTS.read_text(encoding="utf-8")
        costs = committed_costs()
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "dispatch_costs.h")
            table.write_text(re.sub(r'    \{"\w+", .*\n', "", committed), encoding="utf-8")
            self.assertNotEqual(table.read_text(encoding="utf-8"), committed)
            with unittest.mock.patch.object(fit_dispatch, "COSTS", table):
                quietly(fit_dispatch.write, costs)
            self.assertEqual(table.read_text(encoding="utf-8"), committed)


class Records(unittest.TestCase):
    def test_are_read_by_the_part_of_the_host(self):
        self.assertEqual(len(fit_dispatch.whole_maps(MILLION, "count")), 14)
        with self.assertRaises(SystemExit) as refused:
            fit_dispatch.whole_maps(MILLION)
        self.assertIn(f"{MILLION}: expected cases of kernel_map with region=all, host=absent", str(refused.exception))

    def test_are_judged_without_what_the_fit_has_seen(self):
        fitted, million = fit_dispatch.whole_maps(FIT), fit_dispatch.whole_maps(MILLION, "count")
        kinds = {tuple(json.loads(axes)[name] for name in ("scene", "rows", "kernel"))
                 for axes in set(million) - set(fit_dispatch.unseen(million, fitted))}
        self.assertEqual(kinds, {("lidar_10cm", "1000000", kernel) for kernel in "357"} | {("room", "1000000", "5")})
        with unittest.mock.patch.object(sys, "argv", ["fit_dispatch.py", str(FIT), "--score", str(FIT)]):
            with self.assertRaises(SystemExit) as refused:
                quietly(fit_dispatch.main)
        self.assertIn(f"{FIT}: expected workloads that {FIT} does not have", str(refused.exception))

    def test_without_such_cases_are_refused(self):
        for path in (ROOT / "results/h200/serialization/record.json", ROOT / "README.md", ROOT / "nowhere.json"):
            with self.assertRaises(SystemExit) as refused:
                fit_dispatch.whole_maps(path)
            self.assertIn(f"{path}: expected", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
