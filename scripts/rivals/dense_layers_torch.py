#!/usr/bin/env python3
"""Measures what PyTorch has for the forward workloads of row_norm, linear and mlp in a record, and adds it to it as further
variants: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/dense_layers_quick.json --out out/dense
  scripts/rivals/dense_layers_torch.py out/dense --only '^(mlp|linear)/' --seconds 300 --keep rivals.json

torch_eager: layer_norm and batch_norm, linear (cuBLASLt), activations and sums, each call what PyTorch makes of it.
torch_compiled: the same by torch.compile (max-autotune-no-cudagraphs), which fuses operations around a product with it or with
each other, and chooses among kernels for products; each shape is compiled separately, which --seconds counts. Gradients, dropped
rows, padding and split outputs are left out.

The record must come from the same GPU (its UUID is compared), and should come from the same session. Inputs are Ablate's own,
element by element (oracles/common/dense/made.h). Timed as Ablate times `cold-clean` (bench_torch.py). Before and after timing,
rows of the output are held against the same layers in fp32 without TF32, within the tolerance that Ablate has for its own
variants; what differs is recorded as `wrong` and shows no time.
"""
import math

import bench_torch
import rival_contest

SCRIPT = "scripts/rivals/dense_layers_torch.py"
OPERATIONS = ("row_norm", "linear", "mlp")
RIVALS = {
    "torch_eager": {
        "compiles": False,
        "description": "written in PyTorch: a call a norm, product, activation and sum",
        "switches": {"core": "torch", "compiled": "no"},
    },
    "torch_compiled": {
        "compiles": True,
        "description": "torch_eager by torch.compile, max-autotune-no-cudagraphs",
        "switches": {"core": "torch", "compiled": "yes"},
    },
}
OURS = {"row_norm": ("one_row", "four_rows"), "linear": ("cublaslt", "own_mma", "own_wgmma", "own_wgmma_normed"),
        "mlp": ("library", "fused_act", "fused_mma", "fused_wgmma")}
# As in oracles/common/dense/made.h.
TENSORS = {name: number for number, name in enumerate(
    ("input", "branch", "gradient", "sum_gradient", "weight", "second_weight", "bias", "second_bias", "gamma", "beta",
     "mean", "variance"))}
DEVIATION_OF_SUM = 37837.2
ACCEPTED_ERROR = 4e-3
LAYER_EPSILON, BATCH_EPSILON = 1e-5, 1e-3
COMPARED_ROWS = 512
# Columns of the layers, in channels: those that go in and those that come out.
SHAPES = {"qkv": (1, 3), "square": (1, 1), "expand": (1, 4), "expand_gated": (1, 8), "contract": (4, 1), "double": (1, 2)}


def is_for_rivals(workload):
    """Forward, of all rows, without what only a check needs."""
    axes = workload["axes"]
    if workload["operation"] == "row_norm":
        return axes["kind"] not in ("batch_training", "copy") and (axes["drop"], axes["padding"], axes["values"], axes["region"]) == (
            "0", "none", "unit", "forward")
    return axes["region"] == "forward" and axes.get("output", "packed") == "packed"


def shape_of(workload):
    """What decides a time."""
    operation, axes = workload["operation"], workload["axes"]
    rows, channels = int(axes["rows"]), int(axes["channels"])
    if operation == "row_norm":
        return {"rows": rows, "channels": channels, "kind": axes["kind"], "act": axes["act"]}
    if operation == "mlp":
        return {"rows": rows, "channels": channels, "kind": axes["kind"]}
    inputs, outputs = (channels * times for times in SHAPES[axes["shape"]])
    return {"rows": rows, "inputs": inputs, "outputs": outputs, "epilogue": axes["epilogue"], "prologue": axes["prologue"]}


def size_of(shape):
    return shape["rows"] * max(shape.get("channels", 0), shape.get("inputs", 0), shape.get("outputs", 0))


def fp32_of(torch, number):
    """A number as fp32 has it, so that what follows is rounded as on the device."""
    return torch.tensor(number, dtype=torch.float32)


def sum_of_parts(i, of, seed):
    """The integer that element i of a tensor is a multiple of; of an integer or of a tensor of them."""
    x = bench_torch.mixed(i + bench_torch.signed((seed << 4 | TENSORS[of]) * bench_torch.STREAM_STEP))
    return (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF


class DenseBench(bench_torch.Bench):
    def made(self, seed, of, shape, spread, dtype=None, center=0.0):
        """As made_number of oracles/common/dense/made.h; rounded to bf16, unless fp32 is asked for."""
        torch = self.torch
        unit = (fp32_of(torch, spread) / fp32_of(torch, DEVIATION_OF_SUM)).to(self.device)

        def values(i):
            scaled = sum_of_parts(i, of, seed).to(torch.float32) * unit
            return scaled if center == 0 else center + scaled.to(torch.bfloat16).to(torch.float32)
        return self.filled(shape, dtype or torch.bfloat16, values)

    def norm_parameters(self, seed, channels):
        fp32 = self.torch.float32
        return {"gamma": self.made(seed, "gamma", (channels,), 0.125, fp32, 1.0),
                "beta": self.made(seed, "beta", (channels,), 0.25, fp32)}

    def inputs_of(self, operation, shape, seed):
        """(what has a row for each row, what has none), by name."""
        fp32, rows = self.torch.float32, shape["rows"]
        if operation == "row_norm":
            channels = shape["channels"]
            by_row = {"x": self.made(seed, "input", (rows, channels), 1)}
            if shape["kind"] == "residual_layer":
                by_row["branch"] = self.made(seed, "branch", (rows, channels), 1)
            others = self.norm_parameters(seed, channels)
            if shape["kind"] == "batch_inference":
                others |= {"mean": self.made(seed, "mean", (channels,), 0.25, fp32),
                           "variance": self.made(seed, "variance", (channels,), 0.125, fp32, 1.0)}
            return by_row, others
        if operation == "linear":
            inputs, outputs = shape["inputs"], shape["outputs"]
            by_row = {"x": self.made(seed, "input", (rows, inputs), 1)}
            if shape["epilogue"] == "residual":
                by_row["residual"] = self.made(seed, "branch", (rows, outputs), 1)
            others = {"weight": self.made(seed, "weight", (outputs, inputs), 1 / math.sqrt(inputs)),
                      "bias": self.made(seed, "bias", (outputs,), 0.25)}
            return by_row, others | (self.norm_parameters(seed, inputs) if shape["prologue"] == "norm" else {})
        channels, hidden = shape["channels"], 4 * shape["channels"]
        first = 2 * hidden if shape["kind"] == "swiglu" else hidden
        return ({"x": self.made(seed, "input", (rows, channels), 1)},
                {"first": self.made(seed, "weight", (first, channels), 1 / math.sqrt(channels)),
                 "second": self.made(seed, "second_weight", (channels, hidden), 1 / math.sqrt(hidden)),
                 "first_bias": self.made(seed, "bias", (first,), 0.25),
                 "second_bias": self.made(seed, "second_bias", (channels,), 0.25),
                 **self.norm_parameters(seed, channels)})

    def normalized(self, x, gamma, beta):
        """Statistics in fp32; PyTorch takes parameters of the rows' type."""
        functional = self.torch.nn.functional
        return functional.layer_norm(x, x.shape[-1:], gamma.to(x.dtype), beta.to(x.dtype), LAYER_EPSILON)

    def gated(self, z):
        gate, up = z.chunk(2, dim=-1)
        return self.torch.nn.functional.silu(gate) * up

    def layers_of(self, operation, shape):
        """The layers as a function of the inputs by name; a list of outputs."""
        functional = self.torch.nn.functional

        def row_norm(x, gamma, beta, branch=None, mean=None, variance=None):
            if shape["kind"] == "batch_inference":
                y = functional.batch_norm(x, mean, variance, gamma, beta, eps=BATCH_EPSILON)
                return [functional.gelu(y) if shape["act"] == "gelu" else y]
            if branch is None:
                return [self.normalized(x, gamma, beta)]
            total = x + branch
            return [self.normalized(total, gamma, beta), total]

        def linear(x, weight, bias, residual=None, gamma=None, beta=None):
            if gamma is not None:
                x = self.normalized(x, gamma, beta)
            z = functional.linear(x, weight, bias)
            return [{"bias": lambda: z, "residual": lambda: z + residual, "gelu_erf": lambda: functional.gelu(z),
                     "gelu_tanh": lambda: functional.gelu(z, approximate="tanh"),
                     "swiglu": lambda: self.gated(z)}[shape["epilogue"]]()]

        def mlp(x, first, second, first_bias, second_bias, gamma, beta):
            z = functional.linear(self.normalized(x, gamma, beta), first, first_bias)
            hidden = self.gated(z) if shape["kind"] == "swiglu" else functional.gelu(z)
            return [x + functional.linear(hidden, second, second_bias)]

        return {"row_norm": row_norm, "linear": linear, "mlp": mlp}[operation]

    def exact(self, layers, by_row, others, rows):
        """Of these rows, in fp32."""
        fp32 = self.torch.float32
        return layers(**{name: x[rows].to(fp32) for name, x in by_row.items()},
                      **{name: x.to(fp32) for name, x in others.items()})

    def check(self, outputs, expected, rows, when):
        """The greatest ‖Δ‖ / ‖expected‖ of an output's rows."""
        greatest = 0.0
        for output, of in zip(outputs, expected):
            if not self.torch.isfinite(output).all().item():
                raise bench_torch.Wrong(f"{when} timing: an element of the output is no number")
            error = ((output[rows].double() - of.double()).norm() / of.double().norm()).item()
            if not error <= ACCEPTED_ERROR:
                raise bench_torch.Wrong(f"{when} timing: relative error {error:.2e} against fp32, expected at most "
                                        f"{ACCEPTED_ERROR:.0e}")
            greatest = max(greatest, error)
        return greatest

    def prepare(self, operation, variant, shape, seed):
        torch = self.torch
        by_row, others = self.inputs_of(operation, shape, seed)
        layers = self.layers_of(operation, shape)
        rows = torch.linspace(0, shape["rows"] - 1, min(COMPARED_ROWS, shape["rows"]), device=self.device).round().long()
        with torch.no_grad():
            expected = self.exact(layers, by_row, others, rows)
        call = layers
        if RIVALS[variant]["compiles"]:
            torch._dynamo.reset()  # each shape for itself: sizes stay constants
            # One graph, or an error: a rival that fell back to eager would be mislabeled.
            call = torch.compile(layers, fullgraph=True, dynamic=False, mode="max-autotune-no-cudagraphs")

        def launch():
            with torch.no_grad():
                return call(**by_row, **others)
        return launch, lambda outputs, when: self.check(outputs, expected, rows, when)


CONTEST = rival_contest.Contest(script=SCRIPT, rivals=RIVALS, operations=OPERATIONS, is_for_rivals=is_for_rivals,
                                shape_of=shape_of, bench=DenseBench, ours=OURS, size_of=size_of)


def main(arguments):
    parser = rival_contest.parser(__doc__)
    rival_contest.add_rivals(CONTEST, parser.parse_args(arguments), arguments, list(OPERATIONS))


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
