"""scripts/check_counters_with_ncu.py: what it judges, and what it says of the rest."""
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_counters_with_ncu as check  # noqa: E402

HIT_RATE = "lts__t_request_hit_rate.pct"
REQUESTS = "lts__t_requests.sum"
ELAPSED = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
OVER = {HIT_RATE: REQUESTS, ELAPSED: "sm__cycles_elapsed.avg"}
METRICS = ["smsp__inst_executed.sum", "gpu__time_duration.sum", REQUESTS, HIT_RATE]
CASE = "scatter/direct/points=9/@cold-clean"


def kernel(instructions, duration_ns, requests, hit_rate):
    return dict(zip(METRICS, [instructions, duration_ns, requests, hit_rate]))


KERNELS = [kernel(1e6, 90_000, 100_000, 90), kernel(2e6, 10_000, 300_000, 10)]


def record(hit_rate_of_case, kernels=KERNELS):
    rows = [list(k.values()) for k in kernels]
    values = {m: sum(k[m] for k in kernels) for m in METRICS[:3]}
    return {"context": {"ablate": {"counters": {"groups": {"core": METRICS}}}},
            "benchmarks": [{"name": CASE, "kernels": [{"name": "void a::first<int>(int)"}, {"name": "a::second(int)"}],
                            "counters": {"set": "core", "values": {**values, HIT_RATE: hit_rate_of_case},
                                         "kernels": rows}}]}


def pairs(hit_rate_of_case=30, theirs=KERNELS, again=None, ours_again=KERNELS):
    readings = {"core": [{CASE: theirs}, {CASE: again or theirs}]}
    return check.compare([record(hit_rate_of_case), record(hit_rate_of_case, ours_again)], readings, OVER)


def named(of, kernel_name, metric):
    return next(p for p in of if p["kernel"] == kernel_name and p["metric"] == metric)


class Compare(unittest.TestCase):
    def test_every_kernel_and_the_case_are_held_against_ncu(self):
        made = pairs()
        self.assertEqual(len(made), 3 * len(METRICS))
        self.assertEqual({p["kernel"] for p in made}, {"first", "second", "all 2 kernels"})
        self.assertTrue(all(p["why_not"] is None and check.holds(p) for p in made))

    def test_launches_that_a_record_tells_once_have_their_names(self):
        made = record(30)
        made["context"]["ablate"].update(kernel_names=["a::second(int)", "void a::first<int>(int)"],
                                         launches=[{"kernel": 0}, {"kernel": 1}])
        before = check.launched_names(made)
        made["benchmarks"][0]["kernels"] = [1, 0]
        self.assertEqual(check.launched_names(made), before)
        self.assertEqual(before, {CASE: ["first", "second"]})

    def test_a_ratio_of_a_case_that_is_weighted_by_time_does_not_hold(self):
        self.assertFalse(check.holds(named(pairs(hit_rate_of_case=82), "all 2 kernels", HIT_RATE)))

    def test_a_count_that_differs_does_not_hold(self):
        self.assertFalse(check.holds(named(pairs(theirs=[kernel(1.03e6, 90_000, 100_000, 90), KERNELS[1]]), "first",
                                           METRICS[0])))

    def test_work_that_differs_between_ncus_readings_is_not_judged_and_says_so(self):
        pair = named(pairs(again=[kernel(1.03e6, 90_000, 100_000, 90), KERNELS[1]]), "first", METRICS[0])
        self.assertIn("ncu's own readings", pair["why_not"])
        pair = named(pairs(ours_again=[kernel(1.03e6, 90_000, 100_000, 90), KERNELS[1]]), "first", METRICS[0])
        self.assertIn("Ablate's own readings", pair["why_not"])

    def test_a_range_is_as_wide_as_two_readings_can_tell(self):
        self.assertEqual(check.nearest_points([125, 125], [100, 110]), (125, 120))
        self.assertEqual(check.nearest_points([95, 95], [100, 110]), (95, 95))
        self.assertEqual(check.nearest_points([130, 140], [100, 110]), (120, 120))
        self.assertEqual(check.nearest_points([150, 160], [100, 110]), (140, 120))

    def test_a_case_that_a_reading_lacks_is_named_with_the_file_and_left_out(self):
        other = CASE.replace("direct", "other")
        both = record(30)
        both["benchmarks"].append({**both["benchmarks"][0], "name": other})
        full = {CASE: KERNELS, other: KERNELS}
        for ours, theirs, file in (([both, record(30)], [full, full], "out1/record.json"),
                                   ([both, both], [full, {CASE: KERNELS}], "ncu_core_1.csv"),
                                   ([both, both], [{CASE: KERNELS}, full], "ncu_core_0.csv")):
            said = []
            made = check.compare(ours, {"core": theirs}, OVER, said.append)
            self.assertEqual({p["case"] for p in made}, {CASE})
            self.assertEqual(said, [f"{other}: not compared, missing from {file}"])


def reading(value, duration_ns=100_000, kernels=1, look_ups=None):
    return [check.Reading(value, duration_ns, kernels, look_ups)] * 2


class Bounds(unittest.TestCase):
    def test_ends_weigh_more_in_short_kernels(self):
        self.assertTrue(check.holds(check.compare_values(ELAPSED, [70], reading(76, 10_000))))
        self.assertFalse(check.holds(check.compare_values(ELAPSED, [70], reading(76, 100_000))))
        self.assertIn("too short", check.compare_values(ELAPSED, [70], reading(76, 4_000))["why_not"])

    def test_a_hit_rate_of_few_look_ups_is_not_judged(self):
        self.assertIn("look-ups", check.compare_values(HIT_RATE, [1], reading(50, look_ups=9_999))["why_not"])
        self.assertFalse(check.holds(check.compare_values(HIT_RATE, [1], reading(50, look_ups=10_000))))

    def test_a_rate_may_differ_by_what_may_be_counted(self):
        pair = check.compare_values("dram__bytes_read.sum.per_second", [0], reading(1e9, 100_000))
        self.assertAlmostEqual(pair["allowed"], 0.02e9 + check.MIB / 1e-4 + 0.01e9)

    def test_what_one_of_the_two_lacks_is_not_judged(self):
        self.assertEqual(check.compare_values(REQUESTS, [None], reading(5))["why_not"], "Ablate has no value")
        self.assertEqual(check.compare_values(REQUESTS, [5], reading(None))["why_not"], "ncu has no value")
        self.assertIsNone(check.number("nan"))

    def test_every_metric_has_a_rule(self):
        definitions = json.loads(check.DEFINITIONS.read_text())
        for group in definitions["groups"]:
            if group["name"] in ("core", "memory_l2_tex", "shared", "atomics", "tensor_bf16"):
                for metric in [*group["both"], *group.get("GA100", []), *group.get("GH100", [])]:
                    self.assertTrue(check.rule_of(metric), metric)


class Suite(unittest.TestCase):
    def test_has_every_operation_that_a_suite_has(self):
        operations = set()
        for path in (ROOT / "suites").glob("*.json"):
            operations |= {case["operation"] for case in json.loads(path.read_text()).get("cases", [])}
        self.assertGreater(len(operations), 15)
        self.assertEqual(operations - {case["operation"] for case in check.suite()["cases"]}, set())


class Table(unittest.TestCase):
    def test_says_what_holds_what_does_not_and_why_the_rest_is_not_judged(self):
        made = pairs(hit_rate_of_case=82, again=[kernel(1.03e6, 90_000, 100_000, 90), KERNELS[1]])
        text, broken = check.markdown(made, "Imaginary GPU", "ncu 1")
        self.assertEqual(len(broken), 1)
        self.assertIn("1 cases of 1 operations, 1 cases of several kernels; 12 pairs of values, 4 of them", text)
        self.assertIn("| ncu's own readings are further apart than the bound | `smsp__inst_executed.sum` | 1 |", text)
        self.assertIn("**1 not**", text)
        self.assertIn(f"`{HIT_RATE}` of all 2 kernels in `{CASE}`: Ablate 82, ncu 30", text)


if __name__ == "__main__":
    unittest.main()
