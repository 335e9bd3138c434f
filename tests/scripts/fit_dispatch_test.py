"""scripts/fit_dispatch.py: the committed costs are those of the committed record, and the rule is judged by what it picks."""
import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import fit_dispatch  # noqa: E402

FIT, SCORE = (ROOT / "results/h200" / name / "record.json" for name in ("dispatch_fit", "dispatch_score"))


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
        cls.fitted, _ = quietly(fit_dispatch.fit, fit_dispatch.whole_maps(FIT))

    def test_are_those_of_the_record(self):
        committed = committed_costs()
        self.assertEqual(list(self.fitted), list(committed))
        for variant, costs in committed.items():
            for term, cost in costs.items():
                # Four digits are written; another SciPy may round the last one otherwise.
                self.assertAlmostEqual(self.fitted[variant][term], cost, delta=2e-3 * cost, msg=f"{variant}, {term}")

    def test_pick_mostly_what_is_fastest_elsewhere(self):
        _, said = quietly(fit_dispatch.judge_all, "scored on", self.fitted, fit_dispatch.whole_maps(SCORE))
        right, of = map(int, re.search(r"these costs: the fastest of all (\d+) of (\d+)", said).groups())
        self.assertEqual(of, 35)
        self.assertGreaterEqual(right, 30)

    def test_pick_as_the_program_does(self):
        compared = 0
        for axes, found in fit_dispatch.whole_maps(SCORE).items():
            facts = next(iter(found.values()))["input"]
            us = {v: fit_dispatch.estimated(self.fitted, v, facts) for v in self.fitted if v in found}
            picked = facts["dispatch"]["measured"]
            if len(us) > 1 and picked in us:
                compared += 1
                # Where a survey of the density costs more than it can save, the program picks without one.
                survey_us = 20 + 5e-6 * facts["points"]
                self.assertLessEqual(us[picked], min(us.values()) + survey_us, axes)
        self.assertEqual(compared, 35)

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
    def test_without_such_cases_are_refused(self):
        for path in (ROOT / "results/h200/serialization/record.json", ROOT / "README.md", ROOT / "nowhere.json"):
            with self.assertRaises(SystemExit) as refused:
                fit_dispatch.whole_maps(path)
            self.assertIn(f"{path}: expected", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
