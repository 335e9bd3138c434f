"""reports/python/ablate_record.py: on records of every schema it says what `ablate report` and `ablate explain --json` say, to the
last digit, and refuses what they refuse, in their words. Without ABLATE_PROGRAM only what needs no program is tested."""
import ast
import contextlib
import copy
import csv
import dataclasses
import html
import importlib.util
import io
import json
import lzma
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
READER = ROOT / "reports/python/ablate_record.py"
TABLES = READER.with_name("ablate_tables.py")
sys.path.insert(0, str(READER.parent))

import ablate_record  # noqa: E402
import ablate_tables  # noqa: E402

PROGRAM = os.environ.get("ABLATE_PROGRAM")
SMALL = ROOT / "tests/reports/data/small_record.json"
SEEDS = [path for path in sorted((ROOT / "tests/fuzz/seeds/record").glob("*.json")) if path.stem != "of_version_2"]
COMMITTED = sorted((ROOT / "results/h200").glob("*/record.json.xz"))
needs_program = unittest.skipUnless(PROGRAM, "ABLATE_PROGRAM is not set")


def schema_of(path):
    """That it was written with, before it was upgraded if it was."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
        head = file.read(1 << 20)
    return (re.search(r'"upgraded_from": *"([^"]+)"', head) or re.search(r'"record_schema": *"([^"]+)"', head)).group(1)


def smallest_of_each_schema():
    chosen = {}
    for path in sorted(COMMITTED, key=lambda path: path.stat().st_size):
        chosen.setdefault(schema_of(path), path)
    return [*chosen.values(), SMALL]


def ablate(*words):
    """With no program in the path but xz: pictures, which Node.js draws, would take most of the time."""
    with tempfile.TemporaryDirectory() as path:
        os.symlink(shutil.which("xz"), f"{path}/xz")
        return subprocess.run([PROGRAM, *map(str, words)], env={"PATH": path}, capture_output=True, text=True, check=False)


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return head, rows


def says_the_same(cell, value, over_launches=False):
    """Over launches in all but the last digits: logarithms and exponentials of two libraries may differ there."""
    if value is None:
        return cell == ""
    if not isinstance(value, (int, float)):
        return cell == value
    return float(cell) == value or over_launches and math.isclose(float(cell), value, rel_tol=1e-14)


def speed_ups_of(record):
    operations = dict.fromkeys(c.operation for c in record.cases if not c.ceiling)
    return [up for operation in operations for up in record.speed_ups(operation)]


class Folder(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def written(self, record, name="record.json"):
        path = self.folder / name
        path.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
        return path

    def report(self, *paths):
        ran = ablate("report", *paths, "--out", self.folder / "report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def refusal(self, *paths):
        with self.assertRaises(ablate_record.RecordError) as refused:
            ablate_record.load(*paths)
        self.assertNotIn("\n", str(refused.exception))
        return str(refused.exception)

    def expect_cases(self, record, path):
        head, lines = table(path)
        rows = record.to_rows()
        self.assertEqual(len(rows), len(lines))
        for line, row in zip(lines, rows):
            self.assertEqual(list(row), head)
            for name, cell, value in zip(head, line, row.values()):
                self.assertTrue(says_the_same(cell, value, bool(record.launches)), f"{row['case']}: {name}: {cell} and {value}")

    def expect_speed_ups(self, record, path):
        head, lines = table(path)
        first = {name: head.index(name) for name in ("operation", "cache_state", "method", "variant", "baseline", "speedup",
                                                     "speedup_low", "speedup_high", "speedup_in_cycles", "processes",
                                                     "baseline_moved_pct")}
        axes = range(first["method"] + 1, first["variant"])
        said = {}
        for line in lines:
            values = tuple((head[i], line[i]) for i in axes if line[i])
            cells = {name: line[i] for name, i in first.items()}
            said[tuple(cells[name] for name in ("operation", "cache_state", "method", "variant")) + (frozenset(values),)] = cells
        self.assertEqual(len(said), len(lines))
        ups = speed_ups_of(record)
        self.assertEqual(len(ups), len(lines))
        for up in ups:
            values = frozenset((axis, value) for axis, value in up.workload.axes_items if value)
            cells = said[(up.operation, up.workload.cache_state, up.workload.method, up.variant, values)]
            for name, value in (("baseline", up.over), ("speedup", up.ratio), ("speedup_low", up.low),
                                ("speedup_high", up.high), ("speedup_in_cycles", up.in_cycles), ("processes", len(up.pairs))):
                self.assertTrue(says_the_same(cells[name], value, len(up.pairs) > 1), f"{up}: {name}: {cells[name]}")
            if len(up.pairs) > 1:
                self.assertTrue(math.isclose(float(cells["baseline_moved_pct"]), up.over_moved_pct, rel_tol=1e-5, abs_tol=1e-9))


class AgainstReports(Folder):
    def test_small_record_gives_the_committed_tables(self):
        record = ablate_record.load(SMALL)
        self.expect_cases(record, ROOT / "tests/reports/data/small_report/cases.csv")
        self.expect_speed_ups(record, ROOT / "tests/reports/data/small_report/speedup.csv")
        _, unmeasured = table(ROOT / "tests/reports/data/small_report/unmeasured.csv")
        self.assertEqual([[c.name, c.status, c.reason] for c in record.unmeasured],
                         [[line[1], line[-2], line[-1]] for line in unmeasured])

    def test_what_the_suite_says_to_reports_is_gathered(self):
        """As base/record/upgrade.cpp does it; of backbone_ladder also a ladder, which is part of the question."""
        for name in ("backbone_ladder", "ordering"):
            path = ROOT / "results/h200" / name / "record.json.xz"
            before, today = (read(path) for read in (
                lambda path: ablate_record.read_json(path)["context"]["ablate"]["suite"], lambda path: ablate_record.load(path).suite))
            report = before.get("report") or {key: before[key] for key in ("comparisons", "question") if key in before}
            for part in {"ladder", "exhibits"} & before.keys():
                report["question"][part] = before[part]
            self.assertEqual(today["report"], report)
            self.assertFalse({"comparisons", "question", "ladder", "exhibits"} & today.keys())

    ENERGY = {"launch_j": 0.0125, "error_pct": 1.5, "mean_w": 600.0, "loop_us": 25.0, "around_j": 0.0025, "idle_w": 75.0,
              "seconds": 1.25, "step_j": 12.25, "steps": 60}

    @needs_program
    def test_energy_stands_beside_times_as_in_the_tables(self):
        record = json.loads(SMALL.read_text(encoding="utf-8"))
        record["benchmarks"][-1]["energy"] = self.ENERGY
        record["benchmarks"][-2].update(energy=None, energy_reason="NVML does not count this device's energy")
        path = self.written(record)
        read = ablate_record.load(path)
        metered, without = read.cases[-1], read.cases[-2]
        self.assertEqual(metered.energy._asdict(), self.ENERGY)
        self.assertEqual(metered.energy_delay_mj_us, 1e3 * 0.0125 * metered.median_us)
        self.assertEqual((without.energy, without.energy_reason), (None, "NVML does not count this device's energy"))
        self.assertEqual(read.to_rows()[-1]["energy_mj"], 12.5)
        self.assertIsNone(read.to_rows()[0]["energy_mj"])
        self.assertNotIn("energy_mj", ablate_record.load(SMALL).to_rows()[-1])
        self.report(path)
        self.expect_cases(read, self.folder / "report/cases.csv")

    def test_energy_is_checked(self):
        for key, wrong in (("launch_j", 0), ("idle_w", -1), ("steps", 0.5), ("mean_w", None)):
            record = json.loads(SMALL.read_text(encoding="utf-8"))
            record["benchmarks"][-1]["energy"] = {**self.ENERGY, key: wrong}
            self.assertIn(f"/energy/{key}: expected", self.refusal(self.written(record)))

    @needs_program
    def test_every_schema(self):
        upgraded = []
        for seed in SEEDS:
            path = self.folder / seed.name
            ran = ablate("dev", "record", seed, "--out", path)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            upgraded.append(path)
        self.assertGreaterEqual({schema_of(path) for path in [*COMMITTED, *upgraded]}, {"1.0.0", "1.3.0", "1.12.0"})
        for path in [*smallest_of_each_schema(), *upgraded]:
            with self.subTest(path.parent.name + "/" + path.name):
                self.report(path)
                record = ablate_record.load(path)
                self.expect_cases(record, self.folder / "report/cases.csv")
                self.expect_speed_ups(record, self.folder / "report/speedup.csv")

    @needs_program
    def test_counters_and_kernels_are_those_that_explain_shows(self):
        for path in smallest_of_each_schema():
            record = ablate_record.load(path)
            for c in sorted(record.cases, key=lambda c: len(c.counters_by_kernel))[-2:]:
                with self.subTest(f"{path.parent.name}: {c.name}"):
                    ran = ablate("explain", path, c.name, "--json")
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    said = json.loads(ran.stdout)
                    counters = said["counters"]["values"]
                    self.assertEqual([(line["name"], line["value"]) for line in counters], list(c.counters.items()))
                    self.assertEqual({line["name"]: line["missing"] for line in counters if line["value"] is None},
                                     {name: c.counters_missing.get(name, "not read") for name, value in c.counters.items()
                                      if value is None})
                    self.assertEqual(said["time_us"]["median"], c.median_us)
                    self.assertEqual(said["time_us"]["samples"], len(c.samples_us))

    @needs_program
    def test_made_counters_are_combined_as_by_the_program(self):
        """What committed records have too little of: a numerator or denominator that only its ratio tells, kernels without any, and
        elapsed cycles of another pass."""
        active, elapsed = "sm__cycles_active.avg", "sm__cycles_elapsed.avg"
        share = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
        issue = "smsp__issue_active.avg.pct_of_peak_sustained_"
        flops = {f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum": [2, 3] for kind in ("fadd", "fmul", "ffma")}
        instructions = "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"
        made = [
            {active: [100, 900], share: [50, 90], elapsed: [999, 1], instructions: [10, 40]},
            {active: [100, 900], share: [0, 90], elapsed: [999, 1], instructions: [10, 40]},
            {elapsed: [100, None], f"{elapsed}.per_second": [1e9, 1.5e9], "gpu__time_duration.sum": [100, 200], instructions: [10, 40]},
            {active: [100, None], share: [50, 90], elapsed: [200, 400], "sm__warps_active.avg.per_cycle_active": [2, 6]},
            {"lts__t_request_hit_rate.pct": [25, 75], "lts__t_requests.sum": [100, None], "lts__t_requests_lookup_hit.sum": [25, 600]},
            {f"{issue}active": [20, 60], f"{issue}elapsed": [10, 30], elapsed: [100, 700]},
            {"smsp__cycles_active.avg": [0, 80], "smsp__warps_eligible.avg.per_cycle_active": [None, 1.25]},
            {"smsp__cycles_active.avg": [0, 0], "smsp__warps_eligible.avg.per_cycle_active": [3, 1.25]},
            {"dram__bytes_read.sum": [1000, 3000], "dram__bytes_read.sum.per_second": [1e12, 2e12],
             "lts__t_sectors.sum": [None, 5], "lts__t_sectors.sum.per_second": [3e11, 7e11]},
            {"lts__t_request_hit_rate.pct": [25, 75], "lts__t_requests.sum": [100, 300], "unheard_of.ratio": [1, 2]},
            flops,
        ]
        record = json.loads(SMALL.read_text(encoding="utf-8"))
        kernel = {"grid": [1, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0, "theoretical_occupancy": {}}
        template = record["benchmarks"][-1]
        for i, counters in enumerate(made):
            entry = copy.deepcopy(template)
            entry["name"] = f"made/{i}"
            entry["axes"]["items"] = str(8192 + i)
            entry["kernels"] = [{"name": name, **kernel} for name in ("first", "second")]
            entry["counters"] = {"set": "core", "values": {name: -1 for name in counters},
                                 "kernels": [{"name": name, "values": {key: values[k] for key, values in counters.items()}}
                                             for k, name in enumerate(("first", "second"))]}
            record["benchmarks"].append(entry)
        path = self.written(record)
        read = ablate_record.load(path)
        for i in range(len(made)):
            with self.subTest(made[i]):
                said = json.loads(ablate("explain", path, f"made/{i}", "--json").stdout)["counters"]["values"]
                c = read.case(f"made/{i}")
                self.assertEqual([(line["name"], line["value"], line["missing"]) for line in said],
                                 [(name, value, None if value is not None else c.counters_missing.get(name, "not read"))
                                  for name, value in c.counters.items()])
        self.report(path)
        self.expect_cases(read, self.folder / "report/cases.csv")

    @needs_program
    def test_launches_are_one_run(self):
        whole = json.loads(SMALL.read_text(encoding="utf-8"))
        for i, scale in enumerate((1.25, 0.75, 1.5), 1):
            launch = copy.deepcopy(whole)
            launch["context"]["date"] = f"2026-02-0{i}T00:00:00+00:00"
            for j, entry in enumerate(launch["benchmarks"]):
                time = entry["time_us"]
                for name in ("median", "min", "ci95_low", "ci95_high"):
                    time[name] *= scale + j / 64
                time["samples"] = [sample * (scale + j / 64) for sample in time["samples"]]
                if i == 2 and entry["axes"].get("items") == "1024":
                    entry["input"]["hash"] = "ab"  # another input: this launch does not count for the case
                entry["check"]["before"] = entry["check"]["after"] = "not_checked"  # the first launch compared the outputs
            self.written(launch, f"record-{i}.json")
        self.written(whole)
        record = ablate_record.load(self.folder)
        self.assertEqual(len(record.launches), 3)
        self.assertEqual({len(up.pairs) for up in speed_ups_of(record)}, {3, 4})
        self.report(self.folder)
        self.expect_cases(record, self.folder / "report/cases.csv")
        self.expect_speed_ups(record, self.folder / "report/speedup.csv")

    @needs_program
    def test_broken_records_are_refused_in_the_programs_words(self):
        def put(pointer, value):
            def change(record):
                *way, last = pointer
                for key in way:
                    record = record[key]
                if value is None:
                    del record[last]
                else:
                    record[last] = value
            return change

        first = ("benchmarks", 0)
        changes = [
            put(("context", "ablate", "record_schema"), "3.0.0"), put(("context", "ablate", "record_schema"), 1),
            put(("context",), None), put(("benchmarks",), {}), put((*first, "operation"), 3), put((*first, "time_us"), None),
            put((*first, "time_us", "median"), 0), put((*first, "time_us", "median"), 1e9), put((*first, "time_us", "mad"), -1),
            put((*first, "time_us", "method"), "sundial"), put((*first, "time_us", "samples"), [1, "2"]),
            put((*first, "time_us", "samples"), {"tick_ns": 32, "deltas": [5]}),
            put((*first, "time_us", "launches_per_sample"), 0.5), put((*first, "axes"), {"a/b~": 4}),
            put((*first, "status"), "wrong"), put((*first, "counters", "values"), [1]), put((*first, "check", "max_error"), True),
            put((*first, "kernels"), [{"name": "k", "grid": [1]}]), put((*first, "work", "bytes"), "much"),
            put((*first, "input"), []), put(("unmeasured", 0, "status"), "lost"), put((*first, "check", "after"), "not_checked"),
            lambda record: record["benchmarks"].append(record["benchmarks"][0]),
            put((*first, "kernels"), [0]), put((*first, "counters", "kernels"), [[0, 1]]),
        ]
        for change in changes:
            record = json.loads(SMALL.read_text(encoding="utf-8"))
            change(record)
            path = self.written(record)
            ran = ablate("report", path, "--out", self.folder / "report")
            self.assertEqual(ran.returncode, 2, ran.stdout)
            with self.subTest(ran.stderr.strip()):
                self.assertEqual(f"ablate: {self.refusal(path)}", ran.stderr.strip())


class Reading(Folder):
    def test_newer_major_names_file_place_and_expectation(self):
        record = json.loads(SMALL.read_text(encoding="utf-8"))
        record["context"]["ablate"]["record_schema"] = "3.0.0"
        path = self.written(record)
        self.assertEqual(self.refusal(path), f"{path}: /context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's "
                                             "schema, found '3.0.0'")

    def test_older_major_names_the_command_that_upgrades_it(self):
        for path in SEEDS:
            self.assertRegex(self.refusal(path), "/context/ablate/record_schema: expected version 2.x.y of the record's schema, "
                                                 f"found '1[.0-9]*': `ablate dev record {path}` upgrades it")

    def test_compressed_and_plain_are_told_apart_by_content(self):
        whole = SMALL.read_bytes()
        names = [c.name for c in ablate_record.load(SMALL).cases]
        (self.folder / "record.json.xz").write_bytes(lzma.compress(whole))
        for path in (self.folder, self.folder / "record.json", self.folder / "record.json.xz"):
            self.assertEqual([c.name for c in ablate_record.load(path).cases], names)
            self.assertEqual(ablate_record.load(path).path, self.folder / "record.json.xz")
        (self.folder / "misnamed.json").write_bytes(lzma.compress(whole))
        self.assertEqual(len(ablate_record.load(self.folder / "misnamed.json").cases), len(names))
        (self.folder / "record.json").write_bytes(whole)
        for path in (self.folder, self.folder / "record.json"):
            self.assertEqual(ablate_record.load(path).path, self.folder / "record.json", "of both the plain one counts")

    def test_broken_compressed_files_are_refused_in_one_line(self):
        packed = lzma.compress(SMALL.read_bytes())
        path = self.folder / "record.json.xz"
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 255
        for text, said in ((packed[:len(packed) // 2], "of its text: expected a whole file as xz writes it, found one that is cut short"),
                           (bytes(damaged), "expected a whole file as xz writes it: .*Fetch or compress it again")):
            path.write_bytes(text)
            self.assertRegex(self.refusal(self.folder), f"^{path}: .*{said}")
        path.write_bytes(packed)
        with unittest.mock.patch.object(ablate_record, "_MOST_BYTES", 1000):
            self.assertEqual(self.refusal(self.folder), f"{path}: byte 1000 of its text: expected the end of a record, found more; "
                                                        "such a file is no record")

    def test_files_that_are_no_records(self):
        whole = SMALL.read_text(encoding="utf-8")
        for text, part in ((whole[:len(whole) // 2], "expected JSON"), ("", "expected JSON"), ("[]", "/: expected an object"),
                           ("{}", "expected a key 'context'"), ('{"context": NaN}', "'NaN' is not JSON"),
                           ("[" * 100000, "expected JSON")):
            self.assertIn(part, self.refusal(self.written(text)))
        (self.folder / "record.json").write_bytes(b'{"context": "\xff"}')
        self.assertIn("UTF-8", self.refusal(self.folder))
        self.assertIn("nothing.json: expected a record, found none", self.refusal(self.folder / "nothing.json"))

    def test_words_and_keys_are_those_of_the_schema(self):
        defs = json.loads((ROOT / "reports/schema/record.schema.json").read_text(encoding="utf-8"))["$defs"]
        of_time = defs["time_us"]["properties"]
        self.assertEqual(list(ablate_record._METHODS), of_time["method"]["enum"])
        self.assertEqual(list(ablate_record._STOPPED_BY), of_time["stopped_by"]["enum"])
        self.assertEqual(list(ablate_record._UNMEASURED), defs["unmeasured_case"]["properties"]["status"]["enum"])
        whole = json.loads(SMALL.read_text(encoding="utf-8"))
        needed = 0
        for pointer, kind in ((("benchmarks", 2), "measured_case"), (("benchmarks", 2, "time_us"), "time_us"), (("context",), "context"),
                              (("benchmarks", 2, "counters"), "counters"), (("context", "ablate"), "run"),
                              (("unmeasured", 0), "unmeasured_case"), (("benchmarks", 2, "kernels", 0), "kernel_launch")):
            at = whole
            for key in pointer:
                at = at[key]
            for key in list(at):
                record = copy.deepcopy(whole)
                place = record
                for step in pointer:
                    place = place[step]
                del place[key]
                try:
                    ablate_record.load(self.written(record))
                except ablate_record.RecordError:
                    needed += 1
                    self.assertIn(key, defs[kind]["required"], f"the reader needs a key that the schema does not require of {kind}")
        self.assertGreater(needed, 40)

    def test_denominators_are_those_of_the_program(self):
        metrics = json.loads((ROOT / "harness/counters/metric_groups.json").read_text(encoding="utf-8"))["metrics"]
        self.assertEqual(ablate_record._OVER, {name: m["over"] for name, m in metrics.items() if m.get("over")})
        self.assertEqual(ablate_record._OF, {name: m["of"] for name, m in metrics.items() if m.get("of")})
        for name, m in metrics.items():
            if m.get("over"):
                over_time = metrics.get(m["over"], {}).get("unit") == "ns"
                self.assertEqual(ablate_record._scale(name), 100 if m["unit"] == "%" else 1e9 if over_time else 1, name)

    def test_another_run_is_no_launch(self):
        other = json.loads(SMALL.read_text(encoding="utf-8"))
        other["context"]["ablate"]["suite"]["hash"] = "0f"
        path = self.written(other)
        self.assertEqual(self.refusal(SMALL, path), f"{path}: expected a launch of what {SMALL} measured; its suite differs")
        self.assertIn("/context/date: expected each record once", self.refusal(SMALL, SMALL))

    def test_select(self):
        record = ablate_record.load(SMALL)
        found = record.select("scatter", items=[1024, "2048"], layout="rows")
        self.assertEqual({(c.variant, c.axes["items"]) for c in found},
                         {(v, n) for v in ("direct", "merged") for n in ("1024", "2048")})
        self.assertEqual(record.select("scatter", items=4096, variant="merged"), [])
        self.assertEqual(record.select(variants="direct", cache="hot"), record.select(variant="direct", cache_state="hot"))
        self.assertEqual(record.select(items=1024.0), record.select(items="01024"))
        for wrong, nearest in (({"size": 3}, "no axis 'size'"), ({"itmes": 1024}, "did you mean 'items'"),
                               ({"layout": "row"}, "no value of axis 'layout' 'row' .did you mean 'rows'"),
                               ({"items": 102}, "no value of axis 'items' '102'"), ({"items": 1024.5}, "'1024.5'"),
                               ({"variant": "drect"}, "no variant 'drect' .did you mean 'direct'"),
                               ({"variants": ["direct", "none"]}, "no variant 'none'"), ({"cache": "warm"}, "no cache state"),
                               ({"cache_state": "ht"}, "did you mean 'hot'"), ({"operation": "scater"}, "did you mean 'scatter'"),
                               ({"variant": "direct", "variants": "merged"}, "given twice")):
            with self.assertRaisesRegex(KeyError, nearest):
                record.select(**wrong)

    def test_names_that_nothing_has_are_refused_everywhere(self):
        record = ablate_record.load(SMALL)
        record.cases[-1].counters["dram__bytes_read.sum"] = 1.0
        for call, nearest in ((lambda: record.to_rows(["nope"]), "no counter 'nope'"),
                              (lambda: record.to_rows(["dram__bytes_red.sum"]), "did you mean 'dram__bytes_read.sum'"),
                              (lambda: record.to_rows("dram__bytes_red.sum"), "did you mean 'dram__bytes_read.sum'"),
                              (lambda: record.to_pandas(["nope"]), "no counter 'nope'|needs the package pandas"),
                              (lambda: record.variants("scater"), "did you mean 'scatter'"),
                              (lambda: record.speed_ups("scater"), "did you mean 'scatter'"),
                              (lambda: record.speed_ups("scatter", "mergd"), "did you mean 'merged'"),
                              (lambda: record.speed_ups("scatter", over="drect"), "did you mean 'direct'"),
                              (lambda: record.case("scatter/direct/items=1024/layout=row/@hot"), "did you mean 'scatter/direct")):
            with self.assertRaisesRegex((KeyError, ImportError), nearest):
                call()

    def test_selections_are_those_of_the_program_and_the_page(self):
        shared = json.loads((ROOT / "tests/reports/data/selections.json").read_text(encoding="utf-8"))
        cases = []
        for c in shared["cases"]:
            axes = "".join(f"/{axis}={value}" for axis, value in c["axes"].items())
            cases.append(dataclasses.replace(
                ablate_record.load(SMALL).cases[0], name=f"{c['operation']}/{c['variant']}{axes}/@{c['cache']}",
                operation=c["operation"], variant=c["variant"], cache_state=c["cache"], axes=c["axes"]))
        record = dataclasses.replace(ablate_record.load(SMALL), cases=cases, unmeasured=[])

        def outcome(of):
            try:
                return [cases.index(c) for c in of()]
            except KeyError as refused:
                return refused.args[0]

        def expect(example, found):
            if "says" in example:
                self.assertIn(example["says"], str(found), example)
            else:
                self.assertEqual(found, example["selects"], example)

        for example in shared["selections"]:
            expect(example, outcome(lambda: record.find(*example["words"])))
            terms = [word.partition("=") for word in example["words"]]
            if all(name.isidentifier() and value and "," not in value for name, _, value in terms) and \
                    len({name for name, _, _ in terms}) == len(terms) and "given twice" not in example.get("says", ""):
                expect(example, outcome(lambda: record.select(**{name: value for name, _, value in terms})))

    def test_selections_by_old_names_are_those_of_the_program(self):
        shared = json.loads((ROOT / "tests/reports/data/old_selections.json").read_text(encoding="utf-8"))
        cases = []
        for c in shared["cases"]:
            axes = "".join(f"/{axis}={value}" for axis, value in c["axes"].items())
            cases.append(dataclasses.replace(
                ablate_record.load(SMALL).cases[0], name=f"{c['operation']}/{c['variant']}{axes}/@{c['cache']}",
                operation=c["operation"], variant=c["variant"], cache_state=c["cache"], axes=c["axes"]))
        record = dataclasses.replace(ablate_record.load(SMALL), cases=cases, unmeasured=[])
        for example in shared["selections"]:
            if "says" in example:
                with self.assertRaisesRegex(KeyError, example["says"]):
                    record.find(*example["words"])
            else:
                self.assertEqual([cases.index(c) for c in record.find(*example["words"])], example["selects"], example)

    def test_switches_and_points_of_before_are_those_of_the_program(self):
        shared = json.loads((ROOT / "tests/reports/data/old_switches.json").read_text(encoding="utf-8"))
        table = ablate_record._OldNames(shared["table"])
        for example in shared["switches"]:
            if "says" in example:
                with self.assertRaisesRegex(ValueError, example["says"]):
                    table.todays_switches(example["operation"], example["has"])
            else:
                today = table.todays_switches(example["operation"], example["has"])
                self.assertEqual(list(today.items()), list(example["today"].items()), example)
        for example in shared["variants"]:
            self.assertEqual(table.todays_variant(example["operation"], example["was"], {}), example["today"], example)
        for example in shared["former"]:
            former = table.former_words(example["operation"], example["variant"], {})
            self.assertEqual(sorted(value for name, value in former if name == "variant"), sorted(example["names"]), example)

    def test_switches_of_older_records_have_todays_names(self):
        table = json.loads((ROOT / "tests/reports/data/old_switches.json").read_text(encoding="utf-8"))["table"]
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        entry = made["benchmarks"][0]
        entry["switches"] = {"launch": "overlapped", "smem": "on"}
        entry["in_turns"] = [{entry["variant"]: {"median_us": 2}, "tiled+launch=overlapped": {"median_us": 1}}]
        with unittest.mock.patch.object(ablate_record, "_table", [ablate_record._OldNames(table)]):
            case = ablate_record.load(self.written(made)).cases[0]
            self.assertEqual(case.switches, {"pdl": "on", "smem": "on"})
            self.assertEqual(list(case.in_turns[0]), [entry["variant"], "tiled+pdl"])
            entry["switches"]["pdl"] = "off"
            refused = self.refusal(self.written(made))
        self.assertIn("/benchmarks/0/switches: expected one value of 'pdl'", refused)

    def test_cases_of_older_records_have_todays_names(self):
        path = ROOT / "results/h200/gated_attention/record.json"
        written = ablate_record.read_json(ablate_record.file_of(path))["benchmarks"]
        record = ablate_record.load(path)
        self.assertEqual(len(record.cases), len(written))
        self.assertEqual(len({c.name for c in record.cases}), len(written))
        dense = next(c for c, entry in zip(record.cases, written) if entry["variant"] == "hopper_dense")
        self.assertEqual((dense.operation, dense.variant, list(dense.axes)),
                         ("dense_attention", "hopper", ["images", "heads", "rows", "scores", "geometry"]))
        self.assertEqual(record.case(next(e["name"] for e in written if e["variant"] == "hopper_dense")), dense)
        self.assertEqual(record.operations["dense_attention"]["baseline"], "mma")
        self.assertNotIn("method", record.operations["gated_attention"]["axes"])

    def test_two_cases_that_would_become_one_keep_what_tells_them_apart(self):
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        entry = next(e for e in made["benchmarks"] if e["operation"] == "scatter")
        made["benchmarks"], made["unmeasured"] = [], []
        for block in ("16", "32"):
            axes = {"images": "32", "method": "dense", "block": block, "rows": "all"}
            name = "/".join(["gated_attention/dense", *(f"{axis}={value}" for axis, value in axes.items()), "@hot"])
            made["benchmarks"].append({**entry, "operation": "gated_attention", "variant": "dense", "cache_state": "hot",
                                       "name": name, "axes": axes,
                                       "in_turns": [{"dense": {"median_us": 2}, "cudnn": {"median_us": 1}}]})
        cases = ablate_record.load(self.written(made)).cases
        self.assertEqual(list(cases[0].in_turns[0]), ["mma", "cudnn"])
        names = [c.name for c in cases]
        self.assertEqual(names, [f"dense_attention/mma/images=32/block={block}/rows=all/@hot" for block in ("16", "32")])

    def test_a_reader_without_the_table_says_where_it_is(self):
        alone = self.folder / "alone"
        alone.mkdir()
        (alone / "ablate_record.py").write_bytes(READER.read_bytes())
        call = f"import ablate_record; ablate_record.load({str(SMALL)!r})"
        ran = subprocess.run([sys.executable, "-c", call], cwd=alone, capture_output=True, text=True, check=False)
        self.assertIn("copy base/record/old_names.json beside ablate_record.py", ran.stderr)
        (alone / "old_names.json").write_bytes((ROOT / "base/record/old_names.json").read_bytes())
        ran = subprocess.run([sys.executable, "-c", call], cwd=alone, capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    @needs_program
    def test_names_of_committed_records_are_in_the_registry(self):
        catalog = json.loads(ablate("list", "--json").stdout)["operations"]
        known = {of["name"]: ([a["name"] for a in of["axes"]], {v["name"] for v in of["variants"]}) for of in catalog}
        gone = json.loads((ROOT / "base/record/old_names.json").read_text(encoding="utf-8"))["gone"]

        def unknown(record):
            rivals = {(of, v) for rival in record.rivals for of in rival["operations"] for v in rival["variants"]}
            for c in [*record.cases, *record.unmeasured]:
                axes, variants = known.get(c.operation, ([], set()))
                if c.operation not in known:
                    yield f"operation {c.operation}"
                elif c.variant.partition("+")[0] not in variants | {"reference"} and (c.operation, c.variant) not in rivals \
                        and f"{c.operation}/{c.variant}" not in gone:
                    yield f"variant {c.operation}/{c.variant}"
                elif list(c.axes) != [axis for axis in axes if axis in c.axes]:
                    yield f"axes of {c.operation}: {list(c.axes)}"

        for path in sorted(ROOT.glob("results/*/*/record.json.xz")):
            self.assertEqual(set(unknown(ablate_record.load(path))), set(), path)
        made = ablate_record.read_json(ROOT / "results/h200/quick/record.json.xz")
        entry = next(e for e in made["benchmarks"] if e["operation"] == "voxelize")
        for change, named in (({"operation": "voxelise"}, "operation voxelise"), ({"variant": "atomc"}, "variant voxelize/atomc"),
                              ({"axes": {**entry["axes"], "ponits": "1"}}, "ponits")):
            planted = {**made, "benchmarks": [{**e, **change} if e is entry else e for e in made["benchmarks"]]}
            self.assertTrue(any(named in one for one in unknown(ablate_record.load(self.written(planted)))), named)

    def test_only_one_workload_is_compared(self):
        record = ablate_record.load(SMALL)
        small, large = (record.select("scatter", variant="direct", items=n, layout="rows")[0] for n in (1024, 2048))
        with self.assertRaisesRegex(ValueError, "expected two cases of one workload"):
            record.speed_up(small, large)

    def test_rivals_are_compared_in_turns(self):
        record = ablate_record.load(ROOT / "results/h200/attention_quick")
        rivals = [c for c in record.cases if c.in_turns]
        self.assertTrue(rivals)
        for c in rivals:
            ours = next(v for v in c.in_turns[0] if v != c.variant)
            logs = [math.log(turn[c.variant]["median_us"] / turn[ours]["median_us"]) for turn in c.in_turns if ours in turn]
            found = c.ratio_in_turns(ours)
            self.assertEqual(found.rounds, len(logs))
            self.assertAlmostEqual(math.log(found.ratio), statistics.mean(logs))
            # Student's t of two degrees of freedom: three rounds.
            self.assertEqual(found.rounds, 3)
            half = 4.302653 * statistics.stdev(logs) / math.sqrt(3)
            self.assertAlmostEqual(math.log(found.low), statistics.mean(logs) - half, places=6)
            self.assertAlmostEqual(math.log(found.high), statistics.mean(logs) + half, places=6)
            self.assertIsNone(c.ratio_in_turns("no such variant"))

    def test_a_floor_is_of_the_task_and_a_model_of_one_way_of_doing_it(self):
        record = json.loads(SMALL.read_text())
        entry = next(entry for entry in record["benchmarks"] if "ceiling" not in entry)
        entry["time_us"].update({"median": 8.0, "ci95_low": 7.9, "ci95_high": 8.1, "min": 7.0})

        def read(**floors):
            entry["floors"].update({"launch_us": 2.0, "bytes_us": 4.0, "atomics_us": 0.0, "flops_us": None, "random_us": 0.0, **floors})
            (self.folder / "record.json").write_text(json.dumps(record))
            return next(case for case in ablate_record.load(self.folder).cases if case.name == entry["name"])

        case = read()
        self.assertEqual(case.floor, ("bytes", 4.0, 2.0))
        self.assertIsNone(case.model)
        before_2_2 = read(random_us=10.0, binding="random", time_over_floor=0.8)
        self.assertEqual((before_2_2.floor, before_2_2.model), (("bytes", 4.0, 2.0), ("random", 10.0, 0.8)))
        case = read(exponentials_us=5.0, steps_us=6.4, gathered_us=None, binding="exponentials", time_over_floor=1.6,
                    model_binding="steps", time_over_model=1.25)
        self.assertEqual((case.floor, case.model), (("exponentials", 5.0, 1.6), ("steps", 6.4, 1.25)))
        row = next(row for row in ablate_record.load(self.folder).to_rows() if row["case"] == entry["name"])
        self.assertEqual((row["binding_floor"], row["time_over_floor"], row["binding_model"], row["time_over_model"]),
                         ("exponentials", 1.6, "steps", 1.25))
        self.assertIsNone(read(steps_us=4.0).model, "no longer than the floor")
        with self.assertRaisesRegex(ablate_record.RecordError, "/floors/steps_us: expected"):
            read(steps_us=-1)

    def test_rows_have_counters_and_numbers(self):
        record = ablate_record.load(ROOT / "results/h200/quick")
        row = record.to_rows(["dram__bytes_read.sum"])[-1]
        self.assertEqual(row["dram__bytes_read.sum"], record.cases[-1].counters["dram__bytes_read.sum"])
        self.assertIsInstance(row["axis.points"], int)

    def test_standard_library_alone_and_python_3_9(self):
        for path in (READER, TABLES):
            tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
            names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
            names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            names -= {READER.stem, TABLES.stem}
            self.assertLessEqual(names, sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else names)


def made_launches(times, gpus=None):
    """Launches of the small record in which `direct` and `merged` of 1024 items, cold, take these times; `gpus`: of each."""
    out = []
    for i, by_variant in enumerate(times):
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        made["context"]["date"] = f"2026-02-{i + 1:02}T00:00:00+00:00"
        if gpus:
            made["context"]["ablate"]["device"]["uuid"] = gpus[i]
        for variant, us in by_variant.items():
            entry = next(e for e in made["benchmarks"] if e["name"] == f"scatter/{variant}/items=1024/layout=rows/@cold-clean")
            entry["time_us"].update(median=us, ci95_low=0.999 * us, ci95_high=1.001 * us, min=0.99 * us)
        out.append(made)
    return out


def shown_in(page):
    """The tables of an HTML text: for each a line a dict, in which a time is (text, mark). Raises where that is not well-formed."""
    def cell(node):
        bold, status = node.find(".//b"), node.find(".//i")
        text = "".join(node.itertext())
        mark = "fastest" if bold is not None else "unmeasured" if status is not None else "tie" if text.startswith("≈ ") else ""
        return text.replace("≈ ", ""), mark

    tables = []
    for table in xml.etree.ElementTree.fromstring(f"<div>{page}</div>").iter("table"):
        head, *lines = table.iter("tr")
        names = ["".join(node.itertext()) for node in head]
        tables.append([dict(zip(names, map(cell, line))) for line in lines])
    return tables


def facts_in(page):
    """Of a record's overview."""
    return {line[0].text: line[1].text for line in xml.etree.ElementTree.fromstring(f"<div>{page}</div>").find("table")}


class Tables(Folder):
    WORKLOAD = {"cache_state": "cold-clean", "items": 1024, "layout": "rows"}

    def launched(self, times, gpus=None):
        return ablate_record.load(*(self.written(made, f"launch-{i}.json") for i, made in enumerate(made_launches(times, gpus))))

    def row(self, record):
        (line,), = shown_in(record.table("scatter", **self.WORKLOAD).to_html())
        return line

    def expect_marks(self, page, made):
        """Of a table over all of a record's cases: the marks that the file's own medians and intervals give, formed from it alone."""
        times = {}
        for entry in made["benchmarks"]:
            if "ceiling" not in entry:
                workload = (entry["cache_state"], *entry["axes"].values())
                times.setdefault(workload, {})[entry["variant"]] = entry["time_us"]
        lines, = shown_in(page)
        self.assertEqual(len(lines), len(times))
        for line, (workload, of) in zip(lines, times.items()):
            self.assertEqual([line["cache"][0], line["items"][0]], list(workload[:2]))
            best = min(of, key=lambda variant: of[variant]["median"])
            for variant, time in of.items():
                text, mark = line[variant]
                self.assertEqual(float(text.split(" ± ")[0]), time["median"])
                self.assertAlmostEqual(float(text.split(" ± ")[1]), (time["ci95_high"] - time["ci95_low"]) / 2, places=3)
                is_tie = time["ci95_low"] <= of[best]["ci95_high"]
                self.assertEqual(mark, "" if len(of) == 1 else "fastest" if variant == best else "tie" if is_tie else "",
                                 f"{variant} at {workload}")

    def test_the_fastest_is_bold_and_ties_are_marked(self):
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        self.expect_marks(ablate_record.load(SMALL).table("scatter").to_html(), made)
        # 5 and 4 µs trade places, and then are too near to be told apart.
        for direct, merged in ((5.0, 4.0), (4.0, 4.125)):
            made, = made_launches([{"direct": direct, "merged": merged}])
            for entry in made["benchmarks"]:
                entry["time_us"].update(ci95_low=entry["time_us"]["median"] * 0.96, ci95_high=entry["time_us"]["median"] * 1.04)
            page = ablate_record.load(self.written(made)).table("scatter").to_html()
            self.expect_marks(page, made)
        self.assertIn("≈ 4.125", page)

    def test_a_planted_winner_is_found(self):
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        page = ablate_record.load(SMALL).table("scatter").to_html()
        for right, planted in (("<b>4.000 ± 0.250</b>", "4.000 ± 0.250"), ("5.000 ± 0.125", "<b>5.000 ± 0.125</b>"),
                               ("5.000 ± 0.125", "≈ 5.000 ± 0.125"), ("16.00 ± 0.25", "<b>16.00 ± 0.25</b>")):
            self.assertEqual(page.count(right), 1, right)
            with self.assertRaises(AssertionError):
                self.expect_marks(page.replace(right, planted), made)
        real = ablate_record.load(SMALL)
        with unittest.mock.patch.object(ablate_tables, "min", max, create=True), self.assertRaises(AssertionError):
            self.expect_marks(real.table("scatter").to_html(), made)

    def test_several_launches_are_ranked_by_their_mean(self):
        first = {"direct": 3.9, "merged": 4.0}
        alone = self.row(self.launched([first]))
        self.assertEqual((alone["direct"][1], alone["merged"][1]), ("fastest", ""))
        record = self.launched([first] + 3 * [{"direct": 8.0, "merged": 4.0}])
        line = self.row(record)
        self.assertEqual(line["merged"], ("4.000 ± 0.002", "fastest"), "by the first launch alone it is not")
        self.assertEqual(line["direct"][1], "tie", "one launch of four says otherwise")
        self.assertIn("Mean of 4 launches' medians in µs", html.unescape(record.table("scatter").to_html()))
        self.assertEqual(facts_in(record._repr_html_())["launches"], "4")

    def test_ties_over_launches_are_of_the_ratio(self):
        """Both times move by a fifth between launches, together or apart."""
        together = [{"direct": us, "merged": 0.9 * us} for us in (10, 12, 8, 11)]
        self.assertEqual(self.row(self.launched(together))["direct"][1], "")
        apart = [{"direct": 10, "merged": 9}, {"direct": 12, "merged": 12.5}, {"direct": 8, "merged": 7.2}, {"direct": 11, "merged": 11.2}]
        self.assertEqual(self.row(self.launched(apart))["direct"][1], "tie")

    def test_a_time_over_launches_is_their_mean_with_the_interval_of_further_ones(self):
        launches = made_launches([{"direct": us} for us in (8, 10, 12.5)])
        for made in launches[1:]:
            made["benchmarks"] = [e for e in made["benchmarks"] if e["axes"].get("items") != "2048"]
        record = ablate_record.load(*(self.written(made, f"{i}.json") for i, made in enumerate(launches)))
        alone = record.select("scatter", "direct", items=2048)[0]
        self.assertIs(record.over_launches(alone), alone, "one launch measured it")
        case = record.select("scatter", "direct", **self.WORKLOAD)[0]
        self.assertEqual(case.median_us, 8)
        over = record.over_launches(case)
        self.assertAlmostEqual(over.median_us, 10)
        self.assertAlmostEqual(math.log(over.ci95_high_us / 10), 4.302653 * math.log(1.25) / math.sqrt(3), places=6)
        self.assertAlmostEqual(over.ci95_low_us * over.ci95_high_us, 100)
        self.assertAlmostEqual(over.min_us, 0.99 * 8)
        self.assertEqual(record.over_launches(over), over, "of a case that is over launches already")
        # Three GPUs, one of them off, bound less than as many launches of one GPU.
        times = [{"direct": us} for us in (10, 10.1, 10, 10.1, 20, 20.1)]
        same, apart = (self.launched(times, gpus) for gpus in (["a"] * 6, ["a", "a", "b", "b", "c", "c"]))
        width = [of.over_launches(of.case(case.name)).ci95_high_us for of in (same, apart)]
        self.assertGreater(width[1], 1.2 * width[0])
        self.assertEqual(facts_in(apart._repr_html_())["launches"], "6 on 3 devices")

    @needs_program
    def test_ranks_and_ties_are_those_of_best(self):
        launches = [{"direct": 10, "merged": 9}, {"direct": 12, "merged": 12.5}, {"direct": 8, "merged": 7.2}]
        for i, made in enumerate(made_launches(launches)):
            self.written(made, f"record-{i}.json" if i else "record.json")
        for path in (self.folder, SMALL, ROOT / "results/h200/quick", ROOT / "results/h200/attention_quick"):
            record = ablate_record.load(path)
            ran = ablate("best", path, "--json")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            rows = {(table.operation, row.workload.cache_state, row.workload.axes_items): row for table in (
                record.table(of) for of in dict.fromkeys(c.operation for c in record.cases if not c.ceiling)) for row in table.rows}
            said = [w for w in json.loads(ran.stdout)["workloads"] if w["variants"]]
            self.assertEqual(len(said), len(rows))
            for w in said:
                row = rows[w["operation"], w["cache_state"], tuple(w["axes"].items())]
                first = w["variants"][0]["variant"]
                self.assertEqual(row.fastest, first if len(w["variants"]) > 1 else None)
                self.assertEqual(sorted(row.ties), sorted(v["variant"] for v in w["variants"] if v["level_with_fastest"]))
                for v in w["variants"]:
                    for name in ("median_us", "ci95_low_us", "ci95_high_us"):
                        self.assertTrue(math.isclose(v[name], getattr(row.times[v["variant"]], name), rel_tol=1e-12), v["case"])

    def test_every_text_of_a_record_is_escaped(self):
        hostile = "\"'><img src=x onerror=alert(1)>&amp;</td></table><script>"
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        context = made["context"]["ablate"]
        for facts, names in ((context["suite"], ("name", "description")), (context["device"], ("name", "architecture", "driver", "uuid")),
                             (context["build"], ("commit",)), (made["context"], ("date",))):
            facts.update({name: hostile for name in names})
        facts = context["operations"].pop("scatter")
        context["operations"][hostile] = {**facts, "description": hostile, "baseline": hostile,
                                          "axes": {"items": hostile, hostile: hostile}}
        for entry in [e for e in made["benchmarks"] if "ceiling" not in e] + made["unmeasured"]:
            entry.update(operation=hostile, variant=entry["variant"] + hostile, cache_state=entry["cache_state"] + hostile,
                         axes={**entry["axes"], hostile: entry["axes"]["items"] + hostile}, name=entry["name"] + hostile)
            if "reason" in entry:
                entry["reason"] = hostile
        record = ablate_record.load(self.written(made))
        for page in (record._repr_html_(), record.table(hostile)._repr_html_()):
            tree = xml.etree.ElementTree.fromstring(f"<div>{page}</div>")
            self.assertLessEqual({node.tag for node in tree.iter()},
                                 {"div", "table", "tr", "th", "td", "b", "i", "p", "br", "small", "span", "details", "summary"})
            self.assertLessEqual({name for node in tree.iter() for name in node.attrib}, {"title", "style", "open"})
            self.assertIn(hostile, "".join(tree.itertext()))
            self.assertIn("merged" + hostile, [node.text for node in tree.iter("th")], "a variant")
            self.assertIn("4096" + hostile, [node.text for node in tree.iter("td")], "an axis' value")
            self.assertTrue(any(node.get("title") == hostile for node in tree.iter("i")), "why a case has no time")

    def test_the_overview_says_what_was_measured_on_what(self):
        record = ablate_record.load(SMALL)
        page = record._repr_html_()
        facts = facts_in(page)
        self.assertEqual(facts["device"], "Imaginary GPU, sm_90a, driver 1.0")
        self.assertEqual(facts["commit"], "0123456789ab with local changes")
        self.assertEqual(facts["launches"], "1; intervals are of this launch alone")
        self.assertEqual(facts["cases"], "8 measured, 1 wrong, 2 out_of_memory")
        self.assertEqual(page.count("<summary>"), 1, "ceilings have no table")
        lost = next(line for line in shown_in(page)[1] if line["items"][0] == "4096")
        self.assertEqual(lost["merged"], ("wrong", "unmeasured"))
        self.assertIn('title="element 17 is 3, expected 4"', page)
        self.assertIn("Everywhere: layout=rows.", page)

    def test_what_is_left_out_is_said(self):
        record = ablate_record.load(ROOT / "results/h200/voxelization")
        table = record.table("voxelize", distribution="lidar", cache_state="cold-clean")
        page = table.to_html(max_rows=5, max_variants=4)
        self.assertIn(f"Shown: 5 of {len(table.rows)} workloads and 4 of {len(table.variants)} variants.", page)
        lines, = shown_in(page)
        self.assertEqual(len(lines), 5)
        self.assertIn("global_atomic", lines[0], "the baseline")
        self.assertNotIn("Shown: ", record.table("voxelize", ["global_atomic", "warp_match"], **{
            "cache_state": "cold-clean", "distribution": "lidar", "mode": "count_i32", "order": "natural"}).to_html())
        self.assertLess(len(record._repr_html_()), 1 << 17, "however large the record")

    def test_a_size_that_stands_for_all_is_no_0(self):
        made = json.loads(SMALL.read_text(encoding="utf-8"))
        for entry in made["benchmarks"] + made["unmeasured"]:
            if entry["axes"].get("items") == "1024":
                entry["axes"]["items"] = "0"
        self.assertEqual(shown_in(ablate_record.load(self.written(made)).table("scatter").to_html())[0][0]["items"], ("0", ""))
        made["context"]["ablate"]["operations"]["scatter"]["axes"]["items"] = "items; all (or 0) of a file"
        self.assertEqual(shown_in(ablate_record.load(self.written(made)).table("scatter").to_html())[0][0]["items"], ("all", ""))

    def test_a_table_is_of_measured_cases_of_one_operation(self):
        record = ablate_record.load(SMALL)
        with self.assertRaisesRegex(ValueError, "expected measured cases of one operation, found none"):
            record.table("scatter", "merged", items=4096)
        with self.assertRaisesRegex(KeyError, "did you mean 'scatter'"):
            record.table("scater")

    def test_without_the_other_file_a_record_is_shown_as_text(self):
        record = ablate_record.load(SMALL)
        with unittest.mock.patch.dict(sys.modules, {"ablate_tables": None}):
            self.assertIsNone(record._repr_html_())
            with self.assertRaisesRegex(ImportError, "^tables need ablate_tables.py beside ablate_record.py$"):
                record.table("scatter")


class Frames(Folder):
    """With stand-ins for polars and pandas, and with the packages where they are installed."""
    NEITHER = {"polars": None, "pandas": None}

    def test_polars_comes_first_and_pandas_instead(self):
        record = ablate_record.load(SMALL)
        polars, pandas = (unittest.mock.Mock(DataFrame=lambda columns, of=name: (of, columns)) for name in ("polars", "pandas"))
        for installed, wanted, got in (({"polars": polars, "pandas": pandas}, None, "polars"), ({"pandas": pandas}, None, "pandas"),
                                       ({"polars": polars}, None, "polars"), ({"polars": polars, "pandas": pandas}, "pandas", "pandas")):
            with unittest.mock.patch.dict(sys.modules, {**self.NEITHER, **installed}):
                of, columns = record.frame(package=wanted)
                self.assertEqual(of, got)
                self.assertEqual([dict(zip(columns, line)) for line in zip(*columns.values())], record.to_rows())
        with unittest.mock.patch.dict(sys.modules, {"polars": polars, "pandas": pandas}):
            self.assertEqual(record.to_pandas()[0], "pandas")

    def test_a_missing_package_is_one_line(self):
        record = ablate_record.load(SMALL)
        with unittest.mock.patch.dict(sys.modules, self.NEITHER):
            for call, said in ((record.frame, "polars or pandas, and neither is"), (record.to_pandas, "the package pandas, which is not"),
                               (lambda: record.frame(package="polars"), "the package polars, which is not")):
                with self.assertRaisesRegex(ImportError, f"^a data frame needs {said} installed; to_rows needs no package$"):
                    call()
        with self.assertRaisesRegex(ValueError, "expected package 'polars' or 'pandas', found 'numpy'"):
            record.frame(package="numpy")

    def test_a_column_is_of_one_type(self):
        """polars refuses integers and floats in one column."""
        for path in (SMALL, ROOT / "results/h200/quick", ROOT / "results/h200/gated_attention"):
            record = ablate_record.load(path)
            with unittest.mock.patch.dict(sys.modules, {"polars": unittest.mock.Mock(DataFrame=dict)}):
                columns = record.frame()
            for name, values in columns.items():
                self.assertLessEqual(len({type(value) for value in values if value is not None}), 1, name)
                self.assertEqual(values, [row[name] for row in record.to_rows()], name)

    def test_times_are_over_all_launches(self):
        launches = made_launches([{"direct": us} for us in (8, 10, 12.5)])
        record = ablate_record.load(*(self.written(made, f"{i}.json") for i, made in enumerate(launches)))
        with unittest.mock.patch.dict(sys.modules, {"polars": unittest.mock.Mock(DataFrame=dict)}):
            columns = record.frame()
        at = columns["case"].index("scatter/direct/items=1024/layout=rows/@cold-clean")
        over = record.over_launches(record.case(columns["case"][at]))
        self.assertAlmostEqual(columns["median_us"][at], 10)
        self.assertEqual([columns[name][at] for name in ("median_us", "ci95_low_us", "ci95_high_us")],
                         [over.median_us, over.ci95_low_us, over.ci95_high_us])
        self.assertAlmostEqual(columns["time_over_floor"][at], over.median_us / over.floor.us)

    def test_the_packages_themselves(self):
        installed = [name for name in ("polars", "pandas") if importlib.util.find_spec(name)]
        record = ablate_record.load(ROOT / "results/h200/quick")
        for name in installed:
            frame = record.frame(["dram__bytes_read.sum"], package=name)
            rows = record.to_rows(["dram__bytes_read.sum"])
            self.assertEqual((frame.shape, list(frame.columns)), ((len(rows), len(rows[0])), list(rows[0])))
            self.assertEqual(list(frame["median_us"]), [row["median_us"] for row in rows])


class Document(Folder):
    def test_its_snippets_run(self):
        text = (ROOT / "docs/reading_records.md").read_text(encoding="utf-8")
        blocks = [block.replace("\n    ", "\n") for block in re.findall(r"\n\n    ((?:.|\n    |\n(?=\n    ))+)", text)]
        first, last = (block for block in blocks if block.startswith("import "))
        tables = next(block for block in blocks if block.startswith("record.table("))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(first, {})
        self.assertGreater(len(said.getvalue().splitlines()), 20)
        stand_ins = {name: unittest.mock.Mock(DataFrame=dict) for name in ("polars", "pandas")}
        with unittest.mock.patch.dict(sys.modules, stand_ins):
            exec(tables, {"record": ablate_record.load(ROOT / "results/h200/voxelization")})
        os.chdir(self.folder)
        for path in (ROOT / "results/h200/quick", ROOT / "results/h200/block_pooling"):
            record = ablate_record.load(path)
            exec(last, {"record": record})
            self.assertEqual(len(table(self.folder / "cases.csv")[1]), len(record.cases))


class Notebook(unittest.TestCase):
    """docs/examples/reading_a_record.ipynb, cell by cell, without Jupyter."""
    PATH = ROOT / "docs/examples/reading_a_record.ipynb"
    # Shows what a cell's last line gives, as Jupyter does.
    JUPYTER = """
import ast, sys
names = {}
for cell in sys.argv[1:]:
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if hasattr(value, "_repr_html_"):
        print(value._repr_html_())
"""

    def test_runs_from_the_first_cell_to_the_last(self):
        cells = json.loads(self.PATH.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        self.assertGreaterEqual(len(code), 5)
        self.assertTrue(all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), "committed without outputs")
        ran = subprocess.run([sys.executable, "-B", "-c", self.JUPYTER, *code], cwd=self.PATH.parent, capture_output=True, text=True,
                             check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        # Its figures are the record's.
        record = ablate_record.load(ROOT / "results/h200/voxelization")
        told = re.search(r"warp_match +4194304 points: ([0-9.]+) times", ran.stdout)
        workload = {"cache_state": "cold-clean", "points": 4194304, "distribution": "lidar", "mode": "count_i32", "order": "natural",
                    "cell_by": "division", "layout": "x_fastest", "region": "clear_kernel"}
        ours, base = (record.select("voxelize", variant, **workload)[0] for variant in ("warp_match", "global_atomic"))
        self.assertEqual(told.group(1), f"{record.speed_up(ours, base).ratio:.2f}", "over all launches, as reports show it")
        self.assertIn("reduction sectors in L2 per point", ran.stdout)
        overview = ran.stdout[:ran.stdout.index("</details>\n") + len("</details>\n")]
        self.assertEqual(facts_in(overview)["device"].split(",")[0], "NVIDIA H200")
        table = shown_in(ran.stdout[ran.stdout.rindex("<p><b>voxelize</b>"):ran.stdout.rindex("</table>")] + "</table>")[0]
        shown = record.over_launches(ours)
        self.assertEqual(next(line for line in table if line["points"][0] == "4194304")["warp_match"],
                         (f"{shown.median_us:.2f} ± {(shown.ci95_high_us - shown.ci95_low_us) / 2:.2f}", "fastest"))


class Example(Folder):
    def draw(self, *words):
        script = ROOT / "docs/examples/draw_curves.py"
        return subprocess.run([sys.executable, "-B", script, ROOT / "results/h200/voxelization", *words, "--out",
                               self.folder / "curves.svg"], capture_output=True, text=True, check=False)

    def test_draws_every_case_that_it_is_asked_for(self):
        fixed = {"cache_state": "cold-clean", "distribution": "lidar", "mode": "count_i32", "order": "natural",
                 "cell_by": "division", "layout": "x_fastest", "region": "clear_kernel"}
        words = [f"{name}={value}" for name, value in fixed.items()]
        fixed["variant"] = ["global_atomic", "smem_hashed", "warp_match", "smem_bricks"]
        crowded = self.draw("voxelize", "points", *words)
        self.assertEqual(crowded.returncode, 2)
        self.assertIn("choose up to 10 by variant=global_atomic", crowded.stderr)
        ran = self.draw("voxelize", "points", *words, "variant=" + ",".join(fixed["variant"]))
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        svg = xml.etree.ElementTree.parse(self.folder / "curves.svg").getroot()
        titles = [node.text for node in svg.iter("{http://www.w3.org/2000/svg}title")]
        cases = ablate_record.load(ROOT / "results/h200/voxelization").select("voxelize", **fixed)
        self.assertGreater(len(cases), 20)
        self.assertEqual(sorted(title.split(":")[0] for title in titles), sorted(c.name for c in cases))
        curves = [node for node in svg.iter("{http://www.w3.org/2000/svg}g") if node.get("class") == "curve"]
        self.assertEqual(len(curves), len({c.variant for c in cases}))
        # Lower on the picture is faster: within a curve, heights have the order of the medians.
        by_name = {c.name: c.median_us for c in cases}
        marks = [(by_name[mark[0].text.split(":")[0]], float(mark.get("cy")))
                 for mark in svg.iter("{http://www.w3.org/2000/svg}circle")]
        heights = [cy for _, cy in sorted(marks)]
        self.assertTrue(all(above <= below + 0.01 for below, above in zip(heights, heights[1:])))

    def test_says_what_is_still_open(self):
        ran = self.draw("voxelize", "points", "distribution=lidar", "cache_state=cold-clean")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("fix cell_by, layout, mode, order, region", ran.stderr)
        self.assertEqual(self.draw("voxelize", "points", "color=red").returncode, 2)
        self.assertEqual(self.draw("voxelize", "points", "lidar").stderr, "expected NAME=VALUE, found 'lidar'\n")


if __name__ == "__main__":
    unittest.main()
