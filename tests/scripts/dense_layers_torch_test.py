"""scripts/rivals/dense_layers_torch.py: which workloads its rivals get, on which inputs, and how layers are put together."""
import contextlib
import math
import pathlib
import struct
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import bench_torch  # noqa: E402
import dense_layers_torch as dense  # noqa: E402

DEFAULTS = {
    "row_norm": {"kind": "layer", "rows": "24576", "channels": "64", "act": "none", "drop": "0", "padding": "none",
                 "values": "unit", "region": "forward"},
    "linear": {"rows": "24576", "channels": "128", "shape": "qkv", "epilogue": "bias", "prologue": "none",
               "output": "packed", "region": "forward"},
    "mlp": {"kind": "gelu", "rows": "24576", "channels": "128", "region": "forward"},
}


def workload(operation, **axes):
    return {"operation": operation, "axes": {**DEFAULTS[operation], **axes}}


def fp32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def fp32_bits(x):
    return struct.unpack("I", struct.pack("f", x))[0]


def bf16_bits(x):
    bits = fp32_bits(x)
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def scaled(i, of, seed, spread):
    return fp32(fp32(dense.sum_of_parts(i, of, seed)) * fp32(fp32(spread) / fp32(dense.DEVIATION_OF_SUM)))


class Inputs(unittest.TestCase):
    def test_they_are_ablates(self):
        """Bits that made_bf16 and made_number of oracles/common/dense/made.h give, seed 7."""
        for i, of, spread, bits in ((0, "input", 1, 0xBF6B), (12345, "weight", 0.125, 0x3E7A),
                                    (99, "second_bias", 0.25, 0x3D1B), (5000000000, "branch", 1, 0xC004)):
            self.assertEqual(bf16_bits(scaled(i, of, 7, spread)), bits, of)
        self.assertEqual(fp32_bits(scaled(31, "beta", 7, 0.25)), 0xBEE6FC42)
        about_one = struct.unpack("f", struct.pack("I", bf16_bits(scaled(31, "gamma", 7, 0.125)) << 16))[0]
        self.assertEqual(fp32_bits(1 + about_one), 0x3F80AB00)

    def test_they_have_the_shapes_and_spreads_of_the_layers(self):
        bench = dense.DenseBench.__new__(dense.DenseBench)
        bench.torch = types.SimpleNamespace(float32="fp32")
        bench.made = lambda seed, of, shape, spread, dtype="bf16", center=0: (of, shape, round(1 / spread ** 2), dtype)
        by_row, others = bench.inputs_of("linear", dense.shape_of(workload("linear", shape="contract", epilogue="residual")), 1)
        self.assertEqual(by_row, {"x": ("input", (24576, 512), 1, "bf16"), "residual": ("branch", (24576, 128), 1, "bf16")})
        self.assertEqual(others["weight"], ("weight", (128, 512), 512, "bf16"))
        self.assertNotIn("gamma", others)
        by_row, others = bench.inputs_of("mlp", dense.shape_of(workload("mlp", kind="swiglu")), 1)
        self.assertEqual(others["first"], ("weight", (1024, 128), 128, "bf16"))
        self.assertEqual(others["second"], ("second_weight", (128, 512), 512, "bf16"))
        self.assertEqual(others["gamma"], ("gamma", (128,), 64, "fp32"))
        by_row, others = bench.inputs_of("row_norm", dense.shape_of(workload("row_norm", kind="batch_inference")), 1)
        self.assertEqual(sorted(others), ["beta", "gamma", "mean", "variance"])


class Shapes(unittest.TestCase):
    def test_a_shape_says_what_decides_a_time(self):
        self.assertEqual(dense.shape_of(workload("linear", shape="expand_gated", epilogue="swiglu")),
                         {"rows": 24576, "inputs": 128, "outputs": 1024, "epilogue": "swiglu", "prologue": "none"})
        self.assertEqual(dense.shape_of(workload("mlp")), {"rows": 24576, "channels": 128, "kind": "gelu"})
        self.assertEqual(dense.shape_of(workload("row_norm", act="gelu", kind="batch_inference")),
                         {"rows": 24576, "channels": 64, "kind": "batch_inference", "act": "gelu"})

    def test_gradients_and_what_only_a_check_needs_are_left_out(self):
        for of in (workload("row_norm"), workload("row_norm", kind="residual_layer"), workload("linear", prologue="norm"),
                   workload("linear", epilogue="swiglu"), workload("mlp", kind="swiglu")):
            self.assertTrue(dense.is_for_rivals(of), of)
        for of in (workload("row_norm", region="backward"), workload("row_norm", drop="0.3"),
                   workload("row_norm", kind="batch_training"), workload("row_norm", padding="sixteenth"),
                   workload("row_norm", values="offset"), workload("linear", region="all"), workload("linear", output="split"),
                   workload("mlp", region="backward")):
            self.assertFalse(dense.is_for_rivals(of), of)

    def test_small_shapes_come_first_and_each_once(self):
        shapes = dense.CONTEST.shapes_of([workload("mlp", rows="98304"), workload("mlp", rows="4096"), workload("mlp", rows="4096"),
                                          workload("linear", rows="4096")])
        self.assertEqual([(operation, shape["rows"]) for operation, shape in shapes],
                         [("mlp", 4096), ("linear", 4096), ("mlp", 98304)])


class Number:
    """A stand-in of a tensor: one number, and the calls that made it."""

    def __init__(self, value, text):
        self.value, self.text, self.dtype, self.shape = value, text, "bf16", (1,)

    def to(self, _):
        return self

    def __add__(self, other):
        return Number(self.value + other.value, f"({self.text} + {other.text})")

    def __mul__(self, other):
        return Number(self.value * other.value, f"({self.text} * {other.text})")

    def chunk(self, count, dim):
        assert (count, dim) == (2, -1)
        return Number(self.value, f"{self.text}[0]"), Number(self.value, f"{self.text}[1]")


def functional():
    def named(name):
        return lambda *numbers, **_: Number(1, f"{name}({', '.join(n.text for n in numbers if isinstance(n, Number))})")
    return types.SimpleNamespace(**{name: named(name) for name in ("linear", "gelu", "silu", "layer_norm", "batch_norm")})


class Layers(unittest.TestCase):
    def setUp(self):
        self.bench = dense.DenseBench.__new__(dense.DenseBench)
        self.bench.torch = types.SimpleNamespace(nn=types.SimpleNamespace(functional=functional()))

    def of(self, operation, names, **axes):
        layers = self.bench.layers_of(operation, dense.shape_of(workload(operation, **axes)))
        return [output.text for output in layers(**{name: Number(1, name) for name in names.split()})]

    def test_a_norm_is_of_the_sum_which_is_an_output_too(self):
        self.assertEqual(self.of("row_norm", "x gamma beta"), ["layer_norm(x, gamma, beta)"])
        self.assertEqual(self.of("row_norm", "x gamma beta branch", kind="residual_layer"),
                         ["layer_norm((x + branch), gamma, beta)", "(x + branch)"])
        self.assertEqual(self.of("row_norm", "x gamma beta mean variance", kind="batch_inference", act="gelu"),
                         ["gelu(batch_norm(x, mean, variance, gamma, beta))"])

    def test_epilogues_stand_behind_the_bias(self):
        for epilogue, text in (("bias", "linear(x, weight, bias)"), ("gelu_erf", "gelu(linear(x, weight, bias))"),
                               ("swiglu", "(silu(linear(x, weight, bias)[0]) * linear(x, weight, bias)[1])")):
            self.assertEqual(self.of("linear", "x weight bias", epilogue=epilogue, shape="expand_gated"), [text])
        self.assertEqual(self.of("linear", "x weight bias residual gamma beta", epilogue="residual", prologue="norm"),
                         ["(linear(layer_norm(x, gamma, beta), weight, bias) + residual)"])

    def test_an_mlp_adds_its_input(self):
        self.assertEqual(self.of("mlp", "x first second first_bias second_bias gamma beta"),
                         ["(x + linear(gelu(linear(layer_norm(x, gamma, beta), first, first_bias)), second, second_bias))"])


class Verdicts(unittest.TestCase):
    class Output:
        def __init__(self, values):
            self.values = values

        def __getitem__(self, rows):
            return Verdicts.Output([self.values[row] for row in rows])

        def __sub__(self, other):
            return Verdicts.Output([a - b for a, b in zip(self.values, other.values)])

        def __truediv__(self, other):
            return Verdicts.Output([self.values[0] / other.values[0]])

        def double(self):
            return self

        def norm(self):
            return Verdicts.Output([math.sqrt(sum(x * x for x in self.values))])

        def item(self):
            return self.values[0]

    def setUp(self):
        self.bench = dense.DenseBench.__new__(dense.DenseBench)
        finite = lambda of: types.SimpleNamespace(  # noqa: E731
            all=lambda: types.SimpleNamespace(item=lambda: all(math.isfinite(x) for x in of.values)))
        self.bench.torch = types.SimpleNamespace(isfinite=finite, no_grad=contextlib.nullcontext)

    def test_rows_are_held_against_fp32(self):
        exact = [self.Output([1.0, 3.0])]
        close = self.bench.check([self.Output([1.001, 7.0, 3.0])], exact, [0, 2], "before")
        self.assertAlmostEqual(close, 0.001 / math.sqrt(10), places=9)
        with self.assertRaisesRegex(bench_torch.Wrong, "before timing: relative error"):
            self.bench.check([self.Output([1.1, 7.0, 3.0])], exact, [0, 2], "before")
        with self.assertRaisesRegex(bench_torch.Wrong, "after timing: an element of the output is n"):
            self.bench.check([self.Output([1.0, math.nan, 3.0])], exact, [0, 2], "after")


if __name__ == "__main__":
    unittest.main()
