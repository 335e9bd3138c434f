"""scripts/rivals/pool_torch.py: which workloads its rivals get, on which inputs, by which clock, and how they come into a record."""
import json
import pathlib
import struct
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import bench_torch  # noqa: E402
import pool_torch as pool  # noqa: E402
import rival_record  # noqa: E402
import written_inputs  # noqa: E402

CONTEST = pool.contest(None)


def workload(host="absent", region="index", method="events", **axes):
    axes = {"clusters": "grid", "points": "34688", "batch": "1", "reduce": "mean", "channels": "64", "curves": "4",
            "pass": "inference", "host": host, "region": region, "rotate": "off", "pad": "1", **axes}
    name = "/".join(["pool", "torch_steps", *(f"{axis}={value}" for axis, value in axes.items()), "@cold-clean"])
    return {"operation": "pool", "variant": "torch_steps", "name": name, "axes": axes, "cache_state": "cold-clean",
            "input": {"hash": "00000000000000aa", "points": 30000, "clusters": 15000, "depth": 12, "shift": 1},
            "time_us": {"method": method}}


def of_buckets(**axes):
    made = workload(clusters="in_bucket", **axes)
    del made["input"]["depth"], made["input"]["shift"]
    return made


def npy(content):
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(content)},), }}".encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


class Shapes(unittest.TestCase):
    def test_a_shape_says_what_decides_a_time(self):
        shape = pool.shape_of(workload())
        self.assertEqual((shape["points"], shape["clusters"], shape["host"]), (30000, 15000, "absent"))
        self.assertEqual(len(CONTEST.shapes_of([workload(), workload(), workload(channels="32")])), 2)
        self.assertEqual([shape["channels"] for _, shape in CONTEST.shapes_of([workload(), workload(channels="32")])],
                         ["32", "64"])

    def test_what_waits_has_workloads_that_wait(self):
        self.assertEqual(CONTEST.rivals_of(pool.shape_of(workload())), ["torch_flags", "torch_compiled"])
        self.assertEqual(CONTEST.rivals_of(pool.shape_of(workload("published"))), ["torch_published", "torch_flags"])

    def test_graphs_gradients_training_and_three_steps_are_left_out(self):
        self.assertTrue(pool.is_for_rivals(workload()))
        for axes in ({"clusters": "three_steps"}, {"host": "graph"}, {"region": "reduce_backward"}, {"pass": "training"}):
            self.assertFalse(pool.is_for_rivals(workload(**axes)), axes)

    def test_buckets_have_rivals_of_one_plain_instance(self):
        shape = pool.shape_of(of_buckets())
        self.assertTrue(pool.is_for_rivals(of_buckets()))
        self.assertEqual(CONTEST.rivals_of(shape), ["torch_buckets", "torch_buckets_compiled"])
        self.assertEqual((shape["how"], shape["points"]), ("in_bucket", 30000))
        for axes in ({"batch": "5"}, {"rotate": "on"}, {"pad": "4096"}, {"host": "published"}, {"region": "order"}):
            self.assertFalse(pool.is_for_rivals(of_buckets(**axes)), axes)

    def test_buckets_and_grid_are_workloads_apart(self):
        self.assertEqual(len(CONTEST.shapes_of([workload(), of_buckets()])), 2)

    def test_workloads_by_the_hosts_clock_count(self):
        record = {"benchmarks": [workload(), workload("published", method="host_clock"),
                                 workload("absent", "all", method="graph_batch")]}
        found = rival_record.workloads(record, ["pool"], pool.is_for_rivals, methods=CONTEST.methods)
        self.assertEqual([each["axes"]["host"] for each in found], ["absent", "published"])
        self.assertEqual(len(rival_record.workloads(record, ["pool"], pool.is_for_rivals)), 1)


class Inputs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def put(self, axes):
        entry = {"operation": "pool", "axes": axes, "input": {"hash": "00000000000000aa"},
                 "buffers": {"codes": "0/codes.npy"}}
        (self.root / "inputs.json").write_text(json.dumps({"inputs": [{"operation": "matmul"}, entry]}))

    def test_an_input_is_found_by_its_axes_and_its_hash(self):
        self.put({**workload()["axes"], "points": "34688"})
        inputs = pool.Inputs(self.root)
        self.assertEqual(inputs.of(pool.shape_of(workload())), {"codes": self.root / "0/codes.npy"})
        other = workload()
        other["input"]["hash"] = "00000000000000ab"
        for missing in (other, workload(channels="32"), of_buckets()):
            with self.assertRaisesRegex(bench_torch.Wrong, "ablate dev inputs"):
                inputs.of(pool.shape_of(missing))

    def test_a_folder_without_a_list_is_refused(self):
        with self.assertRaisesRegex(rival_record.BadRecord, "inputs.json: expected what"):
            pool.Inputs(self.root)

    def test_arrays_are_read_as_they_were_written(self):
        content = bytes(range(200)) * 3
        (self.root / "a.npy").write_bytes(npy(content))
        self.assertEqual(bytes(written_inputs.bytes_of_npy(self.root / "a.npy")), content)
        (self.root / "b.npy").write_bytes(content)
        with self.assertRaisesRegex(rival_record.BadRecord, "NumPy"):
            written_inputs.bytes_of_npy(self.root / "b.npy")


class Clocks(unittest.TestCase):
    def bench(self):
        bench = pool.PoolBench.__new__(pool.PoolBench)
        bench.maximum_seconds = 0.01
        bench.calls = []
        bench.flush = lambda: bench.calls.append("flush")
        bench.warm_up = lambda launch: (3, 10.0)
        bench.torch = types.SimpleNamespace(cuda=types.SimpleNamespace(synchronize=lambda: bench.calls.append("idle")))
        return bench

    def test_what_waits_is_timed_by_the_hosts_clock_until_the_device_is_idle(self):
        bench = self.bench()
        timed = bench.time_whole(lambda: bench.calls.append("call"), {"shape": {"host": "published"}})
        self.assertEqual(timed["method"], "host_clock")
        self.assertEqual(timed["warmup_launches"], 3)
        self.assertGreaterEqual(len(timed["samples_us"]), bench_torch.MINIMUM_SAMPLES)
        self.assertEqual(bench.calls[:4], ["flush", "idle", "call", "idle"])
        self.assertEqual(rival_record.time_us(timed)["method"], "host_clock")

    def test_the_others_are_timed_by_events(self):
        bench = self.bench()
        bench.time_cold_clean = lambda launch, wait: {"samples_us": [1.0]}
        bench.share_of_work = lambda **of: 1
        timed = bench.time_whole(None, {"shape": {"host": "absent"}})
        self.assertEqual(timed, {"samples_us": [1.0]})
        self.assertEqual(rival_record.time_us({**timed, "warmup_launches": 1, "stopped_by": "time"})["method"], "events")


class Arguments(unittest.TestCase):
    def test_inputs_are_needed_for_measuring(self):
        with self.assertRaisesRegex(rival_record.BadRecord, "--inputs"):
            pool.main(["record.json"])


if __name__ == "__main__":
    unittest.main()
