"""scripts/rivals/sparse_conv_torch.py: which workloads its rivals get, on which voxels, and what they add up."""
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
import sparse_conv_torch as conv  # noqa: E402
import voxel_levels  # noqa: E402


def workload(**axes):
    axes = {"layer": "xcpe", "channels": "256", "level": "4", "points": "0", "distribution": "nuscenes", "order": "scan",
            "region": "forward", **axes}
    name = "/".join(["sparse_conv", "lists_fused", *(f"{axis}={value}" for axis, value in axes.items()), "@cold-clean"])
    return {"operation": "sparse_conv", "name": name, "axes": axes,
            "input": {"points": 7911, "pairs": 38193, "map_hash": "0123456789abcdef"}}


def made_scan():
    """As made_scan of tests/variants/sparse_conv_map_test.cpp: 40 points, and one that is not finite."""
    points = [(i * 0.037 - 0.7, i * i % 17 * 0.11, i % 5 * 0.06) for i in range(40)]
    return b"".join(struct.pack("<4f", *point, 0) for point in [*points, (float("nan"), 0, 0)])


class Voxels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "scan.bin").write_bytes(made_scan())

    def test_they_are_ablates(self):
        """Hashes that tests/variants/sparse_conv_map_test.cpp expects of the same points."""
        points = voxel_levels.points_of(self.folder / "scan.bin", 4)
        self.assertEqual(len(points), 40)
        for level, kernel, rows, pairs, of in HASHES:
            voxels = voxel_levels.voxels_of(points, level)
            found = sum(len(outs) for _, outs in voxel_levels.lists_of(voxels, kernel))
            self.assertEqual((len(voxels), found, voxel_levels.hash_of(voxels)), (rows, pairs, of))

    def test_lists_pair_neighbors(self):
        lists = voxel_levels.lists_of([(0, 0, 0), (5, 5, 5), (0, 0, 1), (1, 0, 0)], 3)
        self.assertEqual(lists[13], ([0, 1, 2, 3], [0, 1, 2, 3]))
        self.assertEqual(lists[14], ([2], [0]), "offset (0, 0, 1)")
        self.assertEqual(lists[12], ([0], [2]))
        self.assertEqual(lists[22], ([3], [0]), "offset (1, 0, 0)")
        self.assertEqual(lists[21], ([3], [2]), "offset (1, 0, -1)")
        self.assertEqual(sum(len(outs) for _, outs in lists), 4 + 6)

    def test_scans_are_found_by_the_suite(self):
        suite = self.folder / "suite.json"
        files = {"a": {"path": "data:scan.bin", "floats_per_point": 4}, "b": {"path": "data:none.bin", "floats_per_point": 5}}
        suite.write_text(json.dumps({"point_files": files}), encoding="utf-8")
        self.assertEqual(conv.scans_of(suite, ["/nowhere", str(self.folder)]), {"a": (self.folder / "scan.bin", 4)})
        suite.write_text("{}", encoding="utf-8")
        self.assertEqual(conv.scans_of(suite, [str(self.folder)]), {})

    def test_other_voxels_are_no_rivals(self):
        bench = conv.SparseConvBench.__new__(conv.SparseConvBench)
        bench.scans = {"a": (self.folder / "scan.bin", 4)}
        with self.assertRaisesRegex(bench_torch.Wrong, "a, level 1: expected voxels of hash 0, found"):
            bench.lists("a", 1, 3, "0")


class Shapes(unittest.TestCase):
    def test_a_shape_says_what_decides_a_time(self):
        self.assertEqual(conv.shape_of(workload()),
                         {"layer": "xcpe", "channels": 256, "level": 4, "scan": "nuscenes", "pairs": 38193, "rows": 7911,
                          "map": "0123456789abcdef"})

    def test_whole_scans_forward_alone(self):
        contest = conv.contest_of({"nuscenes": ("file", 5)})
        self.assertTrue(contest.is_for_rivals(workload()))
        self.assertTrue(contest.is_for_rivals(workload(layer="stem", level="1", channels="32")))
        for axes in ({"distribution": "lidar"}, {"distribution": "kitti"}, {"points": "100"}, {"order": "morton"},
                     {"region": "all"}):
            self.assertFalse(contest.is_for_rivals(workload(**axes)), axes)

    def test_grouped_products_do_not_take_the_stem(self):
        contest = conv.contest_of({})
        stem = conv.shape_of(workload(layer="stem", channels="32"))
        self.assertEqual(contest.rivals_of(stem), ["torch_per_offset", "torch_per_offset_compiled"])
        self.assertEqual(contest.rivals_of(conv.shape_of(workload())), list(conv.RIVALS))

    def test_weights_spread_as_ablates(self):
        self.assertEqual(conv.spread_of(27, 3 * 27 ** 2), voxel_levels.fp32(1 / voxel_levels.fp32(243)))
        self.assertAlmostEqual(conv.spread_of(125, 4), 500 ** -0.5, places=8)


class Rows(list):
    """What the layers ask of a matrix, on lists of rows."""
    shape = property(lambda self: (len(self), len(self[0]) if self else 0))

    def index_select(self, _, rows):
        return Rows(list(self[row]) for row in rows)

    def index_add_(self, _, rows, added):
        for row, values in zip(rows, added, strict=True):
            self[row] = [a + b for a, b in zip(self[row], values, strict=True)]

    def __iadd__(self, bias):
        self[:] = [[a + b for a, b in zip(row, bias, strict=True)] for row in self]
        return self

    def to(self, _):
        return self


class Bias(list):
    def expand(self, rows, _):
        return types.SimpleNamespace(contiguous=lambda: Rows(list(self) for _ in range(rows)))


def product(a, b, out_dtype=None):
    return Rows([sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b)] for row in a)


class Layers(unittest.TestCase):
    def setUp(self):
        voxels = [(0, 0, 0), (5, 5, 5), (0, 0, 1), (1, 0, 0), (1, 1, 1)]
        self.lists = voxel_levels.lists_of(voxels, 3)
        self.x = Rows([row + 1, row * row] for row in range(5))
        self.weights = [[[q, 1], [2 * q, -q]] for q in range(27)]
        self.bias = Bias([100, 1000])
        self.expected = []
        for row in range(5):
            sums = list(self.bias)
            for q, (ins, outs) in enumerate(self.lists):
                for there, out in zip(ins, outs):
                    for c in range(2 if out == row else 0):
                        sums = [s + self.x[there][c] * w for s, w in zip(sums, self.weights[q][c])]
            self.expected.append(sums)
        self.bench = conv.SparseConvBench.__new__(conv.SparseConvBench)
        self.bench.torch = types.SimpleNamespace(mm=product, float32=None, bfloat16=None, _grouped_mm=self.grouped)

    def grouped(self, rows, weights, offs):
        firsts = [0, *offs[:-1]]
        return Rows(row for q, (first, end) in enumerate(zip(firsts, offs)) for row in product(rows[first:end], weights[q]))

    def test_a_product_an_offset(self):
        self.assertEqual(self.bench.per_offset(self.lists, self.x, self.weights, self.bias), self.expected)
        without = [[a - b for a, b in zip(row, self.bias)] for row in self.expected]
        self.assertEqual(self.bench.per_offset(self.lists, self.x, self.weights, None), without)

    def test_one_grouped_product(self):
        ins, outs = ([row for pairs in self.lists for row in pairs[i]] for i in (0, 1))
        ends = [sum(len(outs) for _, outs in self.lists[:q + 1]) for q in range(27)]
        self.assertEqual(self.bench.grouped((ins, outs, ends), self.x, self.weights, self.bias), self.expected)


# Level, offsets along an axis, voxels, pairs, hash.
HASHES = ((1, 3, 40, 44, "9a9f2ba2a9fead19"),
          (2, 3, 39, 71, "7384e41abdb396d4"),
          (4, 5, 18, 214, "8cbee73d9f11e087"))

if __name__ == "__main__":
    unittest.main()
