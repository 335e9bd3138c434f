"""scripts/index_results.py on a made tree: it counts kernels by what the tree says of their resources, writes the table, and fails with
the line where the committed one differs."""
import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/index_results.py"


def kernel(registers, stored=0, loaded=0):
    return {"sm_90a": {"registers": registers, "spill_store_bytes": stored, "spill_load_bytes": loaded, "stack_bytes": 0,
                       "static_shared_bytes": 1024}, "sm_80": {"registers": 1}}


class Index(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.root = pathlib.Path(made.name)
        tree = {"ablate::same(int)": {"registers": 32, "static_shared_bytes": 1024},
                "void ablate::spills<int>()": {"registers": 32, "static_shared_bytes": 1024, "spill_bytes": 24},
                "ablate::grew(int)": {"registers": 40, "static_shared_bytes": 1024},
                "ablate::host_only(int)": None}
        (self.root / "suites/gates").mkdir(parents=True)
        (self.root / "suites/gates/static_baseline.json").write_text(json.dumps({"kernels": {
            name: {"code": {"sm_90a": {"resources": facts}} if facts else {}} for name, facts in tree.items()}}))
        kernels = {"ablate::same(int)": kernel(32), "void ablate::spills<int>()": kernel(32, 8, 16), "ablate::grew(int)": kernel(32),
                   "ablate::host_only(int)": kernel(32), "ablate::renamed(int)": kernel(32), "void cub::scan<ablate::sum>()": kernel(32)}
        self.write({"context": {"date": "2026-11-22T14:23:45+00:00", "ablate": {
            "record_schema": "2.2.0", "build": {"commit": "0123456789abcdef"}, "device": {"architecture": "sm_90a"}, "kernels": kernels}},
            "benchmarks": [{}, {}], "unmeasured": [{}]})

    def write(self, record):
        folder = self.root / "results/h200/made"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "record.json.xz").write_bytes(lzma.compress(json.dumps(record).encode()))

    def call(self, *words):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--root", self.root, *words], capture_output=True, text=True, check=False)

    def test_counts_kernels_by_their_resources(self):
        self.assertEqual(self.call("--write").returncode, 0)
        lines = (self.root / "results/README.md").read_text().splitlines()
        self.assertEqual(lines[-1], "| [made](h200/made/) | h200 | 0123456789ab | 2026-11-22 | 1 | 3 | 2 | 2 | 1 |")
        self.assertEqual((self.call().returncode, self.call().stderr), (0, ""))

    def test_further_launches_are_counted_and_not_listed(self):
        (self.root / "results/h200/made/record-02.json.xz").write_bytes(b"")
        self.assertEqual(self.call("--write").returncode, 0)
        lines = (self.root / "results/README.md").read_text().splitlines()
        self.assertEqual(lines[-1], "| [made](h200/made/) | h200 | 0123456789ab | 2026-11-22 | 2 | 3 | 2 | 2 | 1 |")

    def test_another_table_is_told_by_its_line(self):
        self.assertIn("line 1: expected '# Results', found ''", self.call().stderr)
        self.call("--write")
        path = self.root / "results/README.md"
        path.write_text(path.read_text().replace("| 3 | 2 | 2 | 1 |", "| 3 | 5 | 0 | 0 |"))
        ran = self.call()
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"README.md: line \d+: expected '.*\| 2 \| 2 \| 1 \|', found '.*\| 5 \| 0 \| 0 \|'; "
                                     "scripts/index_results.py --write writes it anew\n$")

    def test_what_is_no_record_is_refused_in_one_line(self):
        self.write({})
        ran = self.call()
        self.assertEqual(ran.returncode, 2)
        self.assertRegex(ran.stderr, "^.*record.json.xz: /: expected a key 'context', found none\n$")


if __name__ == "__main__":
    unittest.main()
