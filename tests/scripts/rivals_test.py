"""scripts/rivals: when a clock is steady, what NVML says, and how ours and rivals take turns."""
import contextlib
import ctypes
import io
import json
import math
import os
import pathlib
import re
import signal
import stat
import sys
import tempfile
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import bench_torch  # noqa: E402
import clock_stamps  # noqa: E402
import in_turns  # noqa: E402
import kept_measurements  # noqa: E402
import nvml  # noqa: E402
import rival_contest  # noqa: E402
import rival_record  # noqa: E402
import sampled_forwards  # noqa: E402
from spent_seconds import SpentSeconds  # noqa: E402
from steady_clock import SteadyClockWatch  # noqa: E402


def watched(mhz_at, load_at, longest_wait=5, seconds=20):
    """As in tests/harness/timing/steady_clock_test.cpp: looked at every 20 ms, one sample a look."""
    watch, now = SteadyClockWatch(700, longest_wait), 0
    for samples in range(1, int(seconds / 0.02)):
        now = 0.02 * samples
        watch.look(now, samples, mhz_at(now) * 1e3, 1e6, load_at(now))
        if watch.settled():
            break
    return watch


def light(_):
    return {"power_w": 300, "event_reasons": []}


def heavy(_):
    return {"power_w": 690, "event_reasons": ["sw_power_cap"]}


class SteadyClock(unittest.TestCase):
    def test_below_the_cap_two_windows_are_enough(self):
        watch = watched(lambda _: 1980, light)
        self.assertTrue(watch.steady())
        found = watch.json()
        self.assertEqual(found["sm_mhz"], {"median": 1980, "min": 1980, "max": 1980})
        self.assertEqual((found["event_reasons"], found["dropped_samples"]), ([], 0))
        self.assertLess(found["seconds"], 0.5)

    def test_samples_from_before_the_cap_bites_do_not_count(self):
        watch = watched(lambda now: 1980 if now < 0.5 else 1700,
                        lambda now: {"power_w": 650, "event_reasons": []} if now < 0.5 else heavy(now))
        self.assertTrue(watch.steady())
        self.assertGreaterEqual(watch.first_sample(), 20)
        self.assertEqual(watch.json()["sm_mhz"]["median"], 1700)
        self.assertGreater(watch.json()["seconds"], 1.4)

    def test_near_the_cap_or_without_power_it_must_hold_for_a_second(self):
        for load in ({"power_w": 640, "event_reasons": []}, {"power_w": None, "event_reasons": []},
                     {"power_w": 300, "event_reasons": None}):
            self.assertGreater(watched(lambda _: 1980, lambda _, load=load: load).json()["seconds"], 0.9)

    def test_a_reason_that_comes_and_goes_is_steady(self):
        watch = watched(lambda _: 1900, lambda now: light(now) if int(now / 0.2) % 2 else heavy(now))
        self.assertTrue(watch.steady())
        self.assertLess(watch.json()["seconds"], 1.3)

    def test_a_clock_that_wanders_is_not_and_its_second_half_counts(self):
        watch = watched(lambda now: 1900 - 80 * now, light)
        self.assertFalse(watch.steady())
        self.assertGreaterEqual(watch.first_seconds(), 2.5)
        self.assertFalse(watched(lambda now: 1900 - 60 * now, heavy).steady())

    def test_a_clock_that_swings_about_one_level_is_level_after_two_swings(self):
        def swinging(now):
            return 1700 + 40 * math.sin(2 * math.pi * now / 1.05)

        watch = watched(swinging, heavy)
        self.assertFalse(watch.steady())
        self.assertTrue(watch.json()["level"])
        self.assertTrue(2 < watch.json()["seconds"] < 2.5)
        self.assertEqual((watch.first_seconds(), watch.first_sample()), (0, 0))
        bites = watched(lambda now: 1980 if now < 0.7 else swinging(now), heavy)
        self.assertTrue(bites.level())
        self.assertGreaterEqual(bites.first_seconds(), 0.6)
        self.assertLess(bites.json()["sm_mhz"]["max"], 1760)
        self.assertFalse(watched(lambda now: swinging(now) - 20 * now, heavy).level())
        self.assertFalse(watched(swinging, lambda _: {"power_w": 690, "event_reasons": None}).level())

    def test_without_a_counted_clock_nothing_is_shown(self):
        watch = watched(lambda _: 0, light, longest_wait=1)
        self.assertFalse(watch.steady())
        self.assertIsNone(watch.json()["sm_mhz"])


class ClockStamps(unittest.TestCase):
    def test_only_samples_with_both_stamps_count(self):
        self.assertEqual(clock_stamps.counted([[[100, 50], [2100, 1050]], [[0, 0], [500, 900]], [[500, 900], [0, 0]]]),
                         (2000, 1000))


class MadeLibrary:
    """The functions of libnvidia-ml that are asked for."""

    def __init__(self, instant=True):
        self.instant = instant

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByUUID(self, uuid, _):
        return 0 if uuid == b"GPU-1" else 6

    def nvmlDeviceGetEnforcedPowerLimit(self, _, value):
        value._obj.value = 700000
        return 0

    def nvmlDeviceGetPowerUsage(self, _, value):
        value._obj.value = 120500
        return 0

    def nvmlDeviceGetFieldValues(self, _, count, field):
        field._obj.status = 0 if self.instant and field._obj.id == 186 and count == 1 else 3
        field._obj.milliwatts = 655250
        return 0

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, _, value):
        value._obj.value = 0x5
        return 0


class Nvml(unittest.TestCase):
    def test_reads_the_load(self):
        self.assertEqual(nvml.Nvml("1", MadeLibrary()).load(),
                         {"power_w": 655.25, "event_reasons": ["gpu_idle", "sw_power_cap"]})
        self.assertEqual(nvml.Nvml("GPU-1", MadeLibrary(instant=False)).power_w(), 120.5)
        self.assertEqual(nvml.Nvml("1", MadeLibrary()).power_cap_w(), 700)

    def test_an_absent_device_says_nothing(self):
        absent = nvml.Nvml("2", MadeLibrary())
        self.assertEqual(absent.load(), {"power_w": None, "event_reasons": None})
        self.assertIsNone(absent.power_cap_w())

    def test_the_field_has_the_layout_of_nvml(self):
        self.assertEqual((ctypes.sizeof(nvml.FieldValue), nvml.FieldValue.milliwatts.offset), (40, 32))


CLOCK = {"steady": True, "sm_mhz": {"median": 1980, "min": 1975, "max": 1985},
         "power_w": {"median": 500, "min": 480, "max": 520}, "power_cap_w": 700, "event_reasons": ["sw_power_cap"],
         "seconds": 0.4, "dropped_samples": 3}

PROGRAM = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:3] == ["dev", "turns"] and sys.argv[4:] == ["--longest-wait", "0.5"], sys.argv
for line in sys.stdin:
    name = line.strip()
    with open(sys.argv[3], "a") as log:
        log.write("ours " + name + "\\n")
    if "dies" in name:
        sys.exit(75)
    said = {"name": name, "status": "wrong", "reason": "row 3"} if "spoiled" in name else \\
        {"name": name, "status": "ok", "time_us": {"samples": [10, 10], "stopped_by": "time", "warmup_launches": 5,
                                                  "clock": %s}}
    print(json.dumps(said), flush=True)
""" % repr(CLOCK)


FACTS = {"arguments": ["out/x"], "software": {"torch": "2"}, "device": {"name": "GPU", "uuid": "1"}}


class MadeRival:
    fails = False

    def __init__(self, log, variant, us, longest_wait, shape={"n": 1}):
        self.log, self.variant, self.us, self.longest_wait, self.shape = log, variant, us, longest_wait, shape

    def turn(self):
        with open(self.log, "a") as log:
            log.write(f"{self.variant}\n")
        if self.fails:
            return {"status": "failed", "reason": "no compiler"}
        self.us += 1
        return {"status": "ok", "samples_us": [self.us] * 2, "warmup_launches": 5, "stopped_by": "time", "clock": CLOCK}

    def measurement(self, turns):
        of = {"operation": "op", "variant": self.variant, "shape": self.shape}
        return {**of, **turns[-1]} if self.fails else {**of, "status": "ok", "max_error": 0, **in_turns.together(turns)}


SAMPLE_PROGRAM = """#!/usr/bin/env python3
import json, sys
assert sys.argv[1:] == ["dev", "sample", "--device", "0"], sys.argv
count, begun = 0, 0
for line in sys.stdin:
    (name, said), = json.loads(line).items()
    if name == "begin":
        begun += 1
        if begun == 7:
            sys.exit(75)
        answer = {"status": "sampling"} if said["range_us"] < 1e6 else {"status": "unavailable", "reason": "no room"}
    elif name == "end":
        count += len(said["ranges"])
        answer = {"status": "ok", "ranges": count}
    else:
        answer = {"status": "ok", "sampled": {"ranges": count, "alone": len(said["unsampled"])}}
    print(json.dumps(answer), flush=True)
"""


class SampledForwards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "ablate"
        self.program.write_text(SAMPLE_PROGRAM)
        self.program.chmod(self.program.stat().st_mode | stat.S_IEXEC)

    def sampler(self):
        sampler = sampled_forwards.AblateSample(str(self.program))
        self.addCleanup(sampler.close)
        return sampler

    @staticmethod
    def run_of(us):
        return lambda: [[1000, 1000 + 1000 * us]] * sampled_forwards.FORWARDS_A_ROUND

    def test_three_rounds_without_their_first_forwards(self):
        self.assertEqual(sampled_forwards.sampled(self.sampler(), self.run_of(3000)), {"ranges": 12, "alone": 12})

    def test_a_program_that_cannot_or_is_gone_says_why(self):
        sampler = self.sampler()
        with self.assertRaisesRegex(sampled_forwards.Unavailable, "no room"):
            sampled_forwards.sampled(sampler, self.run_of(2000000))
        with self.assertRaisesRegex(sampled_forwards.Unavailable, "`ablate dev sample` ended .exit code 75."):
            for _ in range(2):
                sampled_forwards.sampled(sampler, self.run_of(3000))

    def test_a_program_that_is_not_there_is_bad_input(self):
        with self.assertRaisesRegex(rival_record.BadRecord, "--sample: /nowhere/ablate: No such file"):
            sampled_forwards.AblateSample("/nowhere/ablate")

    def test_stamps_give_the_ranges_of_forwards(self):
        rows = [[[5, 1000], [9, 4000]], [[11, 5000], [15, 9000]], [[0, 0], [0, 0]]]

        class Stamps:
            def __getitem__(self, part):
                return types.SimpleNamespace(cpu=lambda: types.SimpleNamespace(tolist=lambda: rows[part]))

            def zero_(self):
                rows[:] = []
        made = clock_stamps.ClockStamps.__new__(clock_stamps.ClockStamps)
        made.stamps = Stamps()
        self.assertEqual(made.ranges(2), [[1000, 4000], [5000, 9000]])
        self.assertEqual(rows, [])

    def test_what_was_sampled_comes_into_the_entry(self):
        workload = {"name": "op/own/n=1/@cold-clean", "operation": "op", "axes": {"n": "1"}, "cache_state": "cold-clean",
                    "work": {}, "floors": None, "input": {}}
        measurement = {"operation": "op", "variant": "rival", "shape": {}, "status": "ok", "samples_us": [2.0, 2.0, 3.0],
                       "warmup_launches": 2, "stopped_by": "time", "max_error": 0}
        self.assertNotIn("sampled", rival_record.measured_entry(workload, measurement, {}))
        entry = rival_record.measured_entry(workload, {**measurement, "sampled": {"ranges": 20}}, {})
        self.assertEqual(entry["sampled"], {"ranges": 20})
        entry = rival_record.measured_entry(workload, {**measurement, "sampled": None, "sampled_reason": "why"}, {})
        self.assertEqual((entry["sampled"], entry["sampled_reason"]), (None, "why"))


class Turns(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.program = pathlib.Path(self.folder.name) / "ablate"
        self.program.write_text(PROGRAM)
        self.program.chmod(self.program.stat().st_mode | stat.S_IEXEC)
        self.log = pathlib.Path(self.folder.name) / "log"

    def tearDown(self):
        self.folder.cleanup()

    def entry(self, variant, offset="0"):
        return {"name": f"op/{variant}/n=1/offset={offset}/@cold-clean", "operation": "op", "variant": variant,
                "axes": {"n": "1", "offset": offset}, "cache_state": "cold-clean", "time_us": {"method": "events"}}

    def taken(self, entries, ours=("fast", "slow"), pattern="", found=None, fastest=None, **of):
        contest = rival_contest.Contest(script="", rivals={"rival": {}}, operations=("op",), ours={"op": ours}, bench=None,
                                        is_for_rivals=lambda _: True,
                                        shape_of=lambda workload: {"n": int(workload["axes"]["n"])})
        bench = types.SimpleNamespace(
            rival_in_turn=lambda operation, variant, shape, seed, wait: MadeRival(self.log, variant, 19, wait))
        given = types.SimpleNamespace(filter=pattern, ours=None, rounds=3, fastest_of_ours=fastest)
        record = {"context": {"ablate": {"seed": 1}}, "benchmarks": entries}
        found = found or kept_measurements.Found(FACTS, None)
        with in_turns.Ours(str(self.program), self.log, 0.5) as program:
            in_turns.take_turns(contest, bench, program, given, record, entries, found, rival_contest.TimeLimit(None), **of)
        return found.all["measurements"], found.all["in_turns"]

    def order(self):
        return [line.split("/")[1] if "/" in line else line for line in self.log.read_text().splitlines()]

    def test_who_was_first_is_last_in_the_next_round(self):
        measurements, rounds = self.taken([self.entry("slow"), self.entry("fast"), self.entry("other"),
                                           self.entry("fast", offset="1")])
        self.assertEqual(self.order(), ["slow", "fast", "rival", "fast", "rival", "slow", "rival", "slow", "fast"])
        self.assertEqual([taken["name"] for taken in rounds], ["op/rival/n=1/offset=0/@cold-clean"])
        self.assertEqual([turns["rival"]["median_us"] for turns in rounds[0]["rounds"]], [20, 21, 22])
        self.assertEqual(rounds[0]["rounds"][0]["fast"],
                         {"median_us": 10, "sm_mhz": 1980, "power_w": 500, "event_reasons": ["sw_power_cap"],
                          "steady": True})
        self.assertEqual(measurements[0]["samples_us"], [20, 20, 21, 21, 22, 22])
        self.assertEqual(measurements[0]["clock"]["dropped_samples"], 9)

    def test_without_a_rival_ours_take_no_further_turn(self):
        MadeRival.fails = True
        self.addCleanup(setattr, MadeRival, "fails", False)
        measurements, rounds = self.taken([self.entry("fast")])
        self.assertEqual(self.order(), ["fast", "rival"])
        self.assertEqual(([m["status"] for m in measurements], rounds), (["failed"], []))

    def test_ours_may_be_the_fastest_alone(self):
        def timed(variant, us):
            return {**self.entry(variant), "time_us": {"method": "events", "median": us}}
        entries = [timed("slow", 30), timed("fast", 10), timed("other", 20)]
        _, rounds = self.taken(entries, ours=("slow", "fast", "other"), fastest=2)
        self.assertEqual(self.order(), ["fast", "other", "rival", "other", "rival", "fast", "rival", "fast", "other"])
        self.assertEqual(sorted(rounds[0]["rounds"][0]), ["fast", "other", "rival"])

    def test_one_that_is_wrong_drops_out(self):
        _, rounds = self.taken([self.entry("spoiled"), self.entry("fast")], ours=("spoiled", "fast"))
        self.assertEqual(self.order(), ["spoiled", "fast", "rival", "fast", "rival", "rival", "fast"])
        self.assertEqual(sorted(rounds[0]["rounds"][2]), ["fast", "rival"])

    def test_what_is_left_of_an_input_comes_behind_its_turns(self):
        found, seen = kept_measurements.Found(FACTS, None), []
        entries = [self.entry("fast"), {**self.entry("fast"), "axes": {"n": "2", "offset": "0"}}]
        self.taken(entries, found=found, behind=lambda input: seen.append((input, len(found.all["measurements"]))))
        self.assertEqual(seen, [(("op", 1), 1), (("op", 2), 2)])

    def test_only_workloads_that_the_filter_names(self):
        _, rounds = self.taken([self.entry("fast"), self.entry("fast", offset="1")], pattern="offset=1/")
        self.assertEqual([taken["name"] for taken in rounds], ["op/rival/n=1/offset=1/@cold-clean"])

    def test_what_a_killed_run_measured_is_kept_and_not_measured_again(self):
        keep = pathlib.Path(self.folder.name) / "rivals.json"
        entries = [self.entry("fast"), {**self.entry("dies"), "axes": {"n": "2", "offset": "0"}}]
        with self.assertRaises(rival_record.BadRecord):
            self.taken(entries, ours=("fast", "dies"), found=kept_measurements.Found(FACTS, keep))
        kept = kept_measurements.read_measurements(keep)
        self.assertEqual([len(kept["measurements"]), len(kept["in_turns"])], [1, 1])
        self.log.unlink()
        again = kept_measurements.Found(FACTS, keep)
        again.go_on(kept)
        with self.assertRaises(rival_record.BadRecord):
            self.taken(entries, ours=("fast", "dies"), found=again)
        self.assertEqual(self.order(), ["dies"])
        self.assertEqual(again.all, kept)

    def test_only_the_same_run_goes_on(self):
        for key, other in (("arguments", ["out/y"]), ("device", {"name": "GPU", "uuid": "2"})):
            with self.assertRaisesRegex(rival_record.BadRecord, f"/{key}: expected"):
                kept_measurements.Found(FACTS, None).go_on({**FACTS, "date": "", "measurements": [], key: other})

    def test_a_record_of_several_gpus_is_refused(self):
        rival_contest.expect_one_gpu("r.json", {})
        rival_contest.expect_one_gpu("r.json", {"parts": [{"specimen": "GPU-1"}, {"specimen": "GPU-1"}]})
        with self.assertRaisesRegex(rival_record.BadRecord, "r.json: /context/ablate/parts: expected a record of one GPU, found 2"):
            rival_contest.expect_one_gpu("r.json", {"parts": [{"specimen": "GPU-1"}, {"specimen": "GPU-2"}]})

    def test_a_program_that_ends_is_told(self):
        with self.assertRaisesRegex(rival_record.BadRecord, r"ended \(exit code 75\) when asked for op/dies"):
            self.taken([self.entry("dies")], ours=("dies",))
        with self.assertRaisesRegex(rival_record.BadRecord, "No such file"):
            in_turns.Ours(self.folder.name + "/nowhere", "suite", 1)

    def test_the_record_takes_the_rounds(self):
        record = {"benchmarks": [{"name": "a"}, {"name": "b"}]}
        rival_record.add_turns(record, [{"name": "b", "rounds": [1]}, {"name": "gone", "rounds": [2]}])
        self.assertEqual(json.loads(json.dumps(record)), {"benchmarks": [{"name": "a"}, {"name": "b", "in_turns": [1]}]})


class MadeBench(bench_torch.Bench):
    """Neither PyTorch nor a GPU; what each variant of `does` is prepared to do."""

    def __init__(self, does, log, share=1):
        self.torch = types.SimpleNamespace(OutOfMemoryError=MemoryError,
                                           cuda=types.SimpleNamespace(empty_cache=lambda: None))
        self.does, self.log, self.share = does, log, share

    def facts(self):
        return {"software": {"torch": "2"}, "device": {"name": "GPU", "uuid": "1"}}

    def prepare_flush(self, l2_bytes):
        pass

    def prepare_clock(self):
        pass

    def share_of_work(self, operation, variant, shape):
        return self.share

    def prepare(self, operation, variant, shape, seed):
        self.log.append((variant, shape["n"]))
        return lambda: None, lambda outputs, when: self.does[variant](when)

    def time_cold_clean(self, launch, longest_wait=5):
        launch()
        return {"samples_us": [2, 4, 6], "warmup_launches": 5, "stopped_by": "time"}


def fails(reason):
    def check(when):
        raise bench_torch.Wrong(reason)
    return check


class Measuring(unittest.TestCase):
    def setUp(self):
        self.log = []

    def measured(self, does, seconds=None, keep=None, competes=lambda variant, shape: True, share=1, sampling=None,
                 stop=None):
        contest = rival_contest.Contest(script="", rivals={variant: {} for variant in does}, operations=("op",), ours={},
                                        bench=None, is_for_rivals=lambda _: True, competes=competes,
                                        shape_of=lambda workload: {"n": int(workload["axes"]["n"])},
                                        size_of=lambda shape: shape["n"])
        given = types.SimpleNamespace(seconds=seconds, keep=keep, resume=False, in_turns=None)
        settings = {"settings": {"sampling": sampling}} if sampling else {}
        record = {"context": {"ablate": {"seed": 1, "device": {"l2_bytes": 0}, **settings}}}
        workloads = [{"operation": "op", "axes": {"n": n}} for n in ("3", "1")]
        self.bench = MadeBench(does, self.log, share)
        return rival_contest.measure_all(contest, self.bench, given, [], record, workloads,
                                         stop or rival_contest.StopOnRequest())

    def test_what_one_throws_does_not_keep_the_others(self):
        def fails(error):
            def check(when):
                raise error
            return check
        found = self.measured({"broken": fails(ValueError("no compiler")), "silent": fails(AssertionError()),
                               "wrong": fails(bench_torch.Wrong("row 3")), "large": fails(MemoryError("of 80 GiB")),
                               "absent": fails(RuntimeError("No available kernel. Aborting")), "fine": lambda when: 1e-3})
        self.assertEqual([(m["variant"], m["status"], m.get("reason")) for m in found["measurements"][:6]],
                         [("broken", "failed", "no compiler"), ("silent", "failed", "AssertionError"),
                          ("wrong", "wrong", "row 3"), ("large", "out_of_memory", "of 80 GiB"),
                          ("absent", "not_applicable", "No available kernel. Aborting"), ("fine", "ok", None)])

    def test_small_shapes_come_first_and_only_those_that_a_rival_competes_in(self):
        self.measured({"a": lambda when: 0, "b": lambda when: 0},
                      competes=lambda variant, shape: (variant, shape["n"]) != ("a", 1))
        self.assertEqual(self.log, [("b", 1), ("a", 3), ("b", 3)])

    def test_when_time_is_up_nothing_begins(self):
        with tempfile.TemporaryDirectory() as folder:
            keep = pathlib.Path(folder) / "rivals.json"

            def slow(when):
                time.sleep(0.02)
                return 0
            found = self.measured({"a": slow, "b": slow}, seconds=0.03, keep=keep)
            self.assertEqual(self.log, [("a", 1)])
            self.assertEqual(kept_measurements.read_measurements(keep), found)
        self.assertEqual(self.measured({"a": slow}, seconds=0)["measurements"], [])

    def test_what_was_measured_before_a_signal_is_kept(self):
        def ends(when):
            os.kill(os.getpid(), signal.SIGTERM)
            return 0
        before = signal.getsignal(signal.SIGTERM)
        with tempfile.TemporaryDirectory() as folder:
            keep, stop = pathlib.Path(folder) / "rivals.json", rival_contest.StopOnRequest()
            found = self.measured({"a": lambda when: 0, "ends": ends, "b": lambda when: 0}, keep=keep, stop=stop)
            self.assertEqual([(m["variant"], m["status"]) for m in found["measurements"]], [("a", "ok")])
            self.assertEqual(kept_measurements.read_measurements(keep), found)
        self.assertTrue(stop.came)
        self.assertEqual(self.log, [("a", 1), ("ends", 1)])
        self.assertEqual(signal.getsignal(signal.SIGTERM), before)

    def test_a_line_says_what_begins(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.measured({"a": lambda when: 0, "b": lambda when: 0})
        self.assertEqual(re.findall(r"^(\d of \d), \d+ s: (.*)$", said.getvalue(), re.MULTILINE),
                         [("1 of 4", "op/a n=1"), ("2 of 4", "op/b n=1"), ("3 of 4", "op/a n=3"), ("4 of 4", "op/b n=3")])

    def test_rivals_are_sampled_as_the_records_cases(self):
        self.measured({"a": lambda when: 0})
        self.assertEqual(self.bench.minimum_samples, bench_torch.MINIMUM_SAMPLES)
        self.measured({"a": lambda when: 0}, sampling={"minimum_samples": 5})
        self.assertEqual(self.bench.minimum_samples, 5)
        self.assertEqual(bench_torch.enough([7, 8, 9, 8, 7], 1, 0.5, self.bench.minimum_samples), "time")
        self.assertIsNone(bench_torch.enough([7, 8, 9, 8, 7], 1, 0.5))

    def test_what_else_is_of_an_input_is_measured_while_what_was_made_for_it_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            program, log = pathlib.Path(folder) / "ablate", pathlib.Path(folder) / "log"
            program.write_text(PROGRAM)
            program.chmod(program.stat().st_mode | stat.S_IEXEC)
            contest = rival_contest.Contest(
                script="", rivals={"rival": {}}, operations=("op",), ours={"op": ("fast",)}, bench=None, is_for_rivals=lambda _: True,
                shape_of=lambda workload: {"n": int(workload["axes"]["n"]), "host": workload["axes"]["host"]},
                size_of=lambda shape: shape["n"], input_of=lambda operation, shape: shape["n"])
            entries = [{"name": f"op/fast/n={n}/host={host}/@cold-clean", "operation": "op", "variant": "fast",
                        "axes": {"n": n, "host": host}, "cache_state": "cold-clean", "time_us": {"method": method}}
                       for host, method in (("graph", "host_clock"), ("absent", "events")) for n in ("1", "2")]
            bench, seen = MadeBench({"rival": lambda when: 0}, []), []
            bench.rival_in_turn = lambda operation, variant, shape, seed, wait: \
                seen.append(("turns", shape["n"])) or MadeRival(log, variant, 19, wait, shape)
            bench.measure = lambda operation, variant, shape, seed: seen.append((shape["host"], shape["n"])) or {
                "operation": operation, "variant": variant, "shape": shape, "status": "ok", "samples_us": [1.0]}
            given = types.SimpleNamespace(seconds=None, keep=None, resume=False, in_turns=str(program), suite=log, turn_seconds=0.5,
                                          filter="", ours=None, rounds=1, fastest_of_ours=None)
            record = {"context": {"ablate": {"seed": 1, "device": {"l2_bytes": 0}}}, "benchmarks": entries}
            found = rival_contest.measure_all(contest, bench, given, [], record, entries, rival_contest.StopOnRequest())
        self.assertEqual(seen, [("turns", 1), ("graph", 1), ("turns", 2), ("graph", 2)])
        self.assertEqual(len(found["measurements"]), 4)

    def test_a_part_of_the_work_is_stretched_to_the_whole_and_says_so(self):
        found = self.measured({"a": lambda when: 1e-3}, share=0.25)["measurements"][0]
        self.assertEqual((found["samples_us"], found["share_of_work"]), ([8, 16, 24], 0.25))
        self.assertEqual(rival_record.quality(found), {"relative_error": 1e-3, "share_of_work": 0.25})
        turn = {**found, "clock": CLOCK}
        self.assertEqual(in_turns.together([turn, turn])["share_of_work"], 0.25)
        self.assertNotIn("share_of_work", self.measured({"a": lambda when: 0})["measurements"][0])

    def test_the_reason_is_what_is_announced(self):
        self.assertEqual(bench_torch.reason_of(ValueError("backend raised:\n\n  no gcc\nmore")), "backend raised: no gcc")
        self.assertEqual(bench_torch.reason_of(ValueError("one\ntwo")), "one")
        self.assertEqual(bench_torch.reason_of(KeyError()), "KeyError")


class Spent(unittest.TestCase):
    def test_what_lies_within_counts_in_the_inner_part_alone(self):
        now = [10.0]
        spent = SpentSeconds(lambda: now[0])

        @spent.on("checks")
        def check(seconds):
            now[0] += seconds
        with spent.on("timing"):
            now[0] += 2
            check(4)
            with self.assertRaises(ValueError), spent.on("compiling"):
                now[0] += 8
                raise ValueError
            now[0] += 1
        check(16)
        now[0] += 5
        self.assertEqual(spent.text(), "36.0 s: checks 20.0, compiling 8.0, the rest 5.0, timing 3.0")


class WarmUp(unittest.TestCase):
    def bench(self, times):
        bench = bench_torch.Bench.__new__(bench_torch.Bench)
        bench.torch = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: None))
        self.launched = 0

        def group_median_us(launch, launches):
            for _ in range(launches):
                launch()
            time.sleep(0.004)
            return times.pop(0)
        bench.group_median_us = group_median_us
        return bench

    def launch(self):
        self.launched += 1

    def test_groups_that_agree_are_enough(self):
        count, us = self.bench([30, 20, 10.05, 10]).warm_up(self.launch)
        self.assertEqual((count, us), (17, 10))
        self.assertEqual(self.launched, count)

    def test_a_slow_launch_is_warm_after_one(self):
        self.assertEqual(self.bench([2e6]).warm_up(self.launch), (2, 2e6))
        self.assertEqual(self.launched, 2)


class CommandOfTheRecord(unittest.TestCase):
    def test_it_does_not_tell_where_measurements_are_kept(self):
        for kept in (["--keep", "/here/rivals.json"], ["--keep=/here/rivals.json", "--resume"], []):
            self.assertEqual(rival_contest.of_any_machine(["out/x", *kept, "--backward"]), ["out/x", "--backward"])

    def test_it_tells_no_path_of_the_machine(self):
        here = pathlib.Path.cwd()
        self.assertEqual(rival_contest.of_any_machine(["out/x", "--in-turns", str(here / "build/ablate")]),
                         ["out/x", "--in-turns", "build/ablate"])


class InRecord(unittest.TestCase):
    """Calls of a script, one after the other, on a record of two workloads."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "record.json"
        self.software, self.log = "2", []
        entries = [{"name": f"op/ours/n={n}/@cold-clean", "operation": "op", "variant": "ours", "axes": {"n": n},
                    "cache_state": "cold-clean", "time_us": {"method": "events"}, "work": {}, "floors": None, "input": {}}
                   for n in ("1", "3")]
        rival_record.write_record(self.path, {"context": {"ablate": {
            "record_schema": "2.2.0", "seed": 1, "command": "ablate run s", "suite": {"description": "S."},
            "device": {"kind": "gpu", "name": "GPU", "uuid": "1", "l2_bytes": 0}}}, "benchmarks": entries, "unmeasured": []})

    def call(self, *arguments, **does):
        does = {"a": lambda when: 0, "b": lambda when: 0, **does}

        def bench(maximum_seconds):
            made = MadeBench(does, self.log)
            made.facts = lambda: {"software": {"torch": self.software}, "device": {"name": "GPU", "uuid": "1"}}
            return made
        rivals = {variant: {"description": variant, "switches": {}} for variant in does}
        contest = rival_contest.Contest(script="r.py", rivals=rivals, operations=("op",), ours={}, bench=bench,
                                        is_for_rivals=lambda _: True,
                                        shape_of=lambda workload: {"n": int(workload["axes"]["n"])},
                                        size_of=lambda shape: shape["n"])
        given = rival_contest.parser("").parse_args([str(self.path), *arguments])
        with contextlib.redirect_stderr(io.StringIO()):
            rival_contest.add_rivals(contest, given, list(arguments), ["op"])

    def names(self):
        record = rival_record.read_record(self.path)
        return [entry["name"].removesuffix("/@cold-clean").removeprefix("op/") for entry in record["benchmarks"]]

    def test_a_run_of_its_own_leaves_what_is_there(self):
        self.call("--only", "n=1/")
        self.assertEqual(self.names(), ["ours/n=1", "a/n=1", "b/n=1", "ours/n=3"])
        self.call("--only", "n=3/", "--rivals", "b")
        self.assertEqual(self.names(), ["ours/n=1", "a/n=1", "b/n=1", "ours/n=3", "b/n=3"])
        self.assertEqual(self.log, [("a", 1), ("b", 1), ("b", 3)])
        facts = rival_record.read_record(self.path)["context"]["ablate"]
        self.assertEqual(facts["command"], "ablate run s && r.py --only n=1/ && r.py --only n=3/ --rivals b")
        self.assertEqual([added["variants"] for added in facts["rivals"]], [["a", "b"]])
        self.assertEqual(facts["suite"]["description"], "S." + rival_record.RIVALS_ADDED + "a, b.")

    def test_what_is_measured_again_takes_the_place_of_what_was(self):
        self.call()
        self.call("--only", "n=1/", "--rivals", "a", a=fails("row 3"))
        self.assertEqual(self.names(), ["ours/n=1", "b/n=1", "ours/n=3", "a/n=3", "b/n=3"])
        unmeasured = rival_record.read_record(self.path)["unmeasured"]
        self.assertEqual([(entry["name"], entry["status"]) for entry in unmeasured], [("op/a/n=1/@cold-clean", "wrong")])

    def test_a_whole_run_takes_the_place_of_all(self):
        self.call("--only", "n=1/")
        self.call()
        self.assertEqual(self.names(), ["ours/n=1", "a/n=1", "b/n=1", "ours/n=3", "a/n=3", "b/n=3"])
        self.assertEqual(rival_record.read_record(self.path)["context"]["ablate"]["command"], "ablate run s && r.py")

    def test_a_stopped_run_adds_what_it_has(self):
        def ends(when):
            os.kill(os.getpid(), signal.SIGTERM)
            return 0
        self.call("--only", "n=3/")
        with self.assertRaises(SystemExit) as ended:
            self.call(b=ends)
        self.assertEqual(ended.exception.code, rival_contest.INTERRUPTED)
        self.assertEqual(self.names(), ["ours/n=1", "a/n=1", "ours/n=3", "a/n=3", "b/n=3"])

    def test_rivals_of_two_softwares_do_not_stand_beside_each_other(self):
        self.call("--only", "n=1/")
        self.software = "3"
        with self.assertRaisesRegex(rival_record.BadRecord, "/context/ablate/rivals: expected .*'3'.* found .*'2'"):
            self.call("--only", "n=3/")
        self.assertEqual(self.log, [("a", 1), ("b", 1)], "refused before it measures")
        self.call()
        self.assertEqual(len(self.names()), 6)

    def test_unknown_rivals_are_named(self):
        with self.assertRaisesRegex(rival_record.BadRecord, "--rivals: expected some of a, b, found cudn"):
            self.call("--rivals", "cudn", "a")


if __name__ == "__main__":
    unittest.main()
