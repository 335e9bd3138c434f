"""What all rivals of a shape have in common, whatever the host does: the network, what is given, what outputs are held to, and
the forms of a pass (backbone_torch.py). One class a family of models.
"""
import contextlib
import dataclasses
import math
import signal
import typing

import bench_torch
import exact_passes_torch
import flash3d_exact_torch
import flash3d_layers
import flash3d_published_torch
import flash3d_torch
import launches_torch
import ptv3_exact_torch
import ptv3_layers
import ptv3_published_torch
import ptv3_torch
import published_layers_torch
import trained_backbone_torch
from spent_seconds import SPENT


INFERENCE, TRAINING = "inference", "training"

# max-autotune-no-cudagraphs, except that products are cuBLAS's: trying Triton's takes 12 s a shape, minutes a model.
COMPILED = {"max_autotune": True, "max_autotune_gemm_backends": "ATEN"}


class Operators(typing.NamedTuple):
    """What features are made of beside PyTorch's functions: as they are, or as operators that a compiler leaves alone."""
    attend: typing.Callable
    grouped: typing.Callable


class _Alarm(BaseException):
    """No Exception, so that nothing on its way takes it for a failure of its own."""


@contextlib.contextmanager
def at_most(seconds, what):
    """Ends what takes longer, by an error that says `what` does."""
    def stop(*_):
        raise _Alarm

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # again, should somebody keep it
        yield
    except _Alarm:
        raise TimeoutError(f"{what} exceeds {seconds:g} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Task:
    def __init__(self, bench, network, shape, files):
        self.bench, self.network, self.shape = bench, network, shape
        self.files, self.outputs = files
        self.parameters = sum(layer.parameters() for layer in network.layers)
        if self.parameters != shape["parameters"]:
            raise bench_torch.Wrong(f"a model of {self.parameters} parameters, the record says {shape['parameters']}")
        torch, self.trains = bench.torch, shape.get("pass") == TRAINING
        self.weights = (trained_backbone_torch.Weights if self.trains else flash3d_torch.Weights)(
            network, bench.tensor(self.files["matrices"], torch.bfloat16), bench.tensor(self.files["vectors"], torch.float32))
        self.cores = bench.trained_cores if self.trains else bench.cores
        self.out_gradient = self.rows_of(self.files["out_gradient"]) if self.trains else None
        if self.rows is not None:
            self.rows.requires_grad_(self.trains)
        self.compiled = self.not_compiled = None
        self.graphs = {}

    @property
    def rows(self):
        """A lone block's, which have a gradient, too; None of a backbone."""
        raise NotImplementedError

    @staticmethod
    def read_given(bench, shape, files):
        """What a pass is given, a tensor or tensors by name, as Ablate wrote it."""
        raise NotImplementedError

    def altered(self):
        """The names of what is given and is no longer as it was written."""
        def named(given):
            return given if isinstance(given, dict) else {"x": given}
        written = named(self.read_given(self.bench, self.shape, self.files))
        return [name for name, of in named(self.given).items() if not self.bench.torch.equal(of.detach(), written[name])]

    def rows_of(self, path):
        return self.bench.tensor(path, self.bench.torch.bfloat16).view(self.network.points, -1)

    def oracle(self):
        """Output and, of what is trained, gradients by name, where Ablate's host has computed them: zeros replace what takes it
        too long."""
        out = self.rows_of(self.outputs["out"]) if "out" in self.outputs else None
        if out is None or not bool(out.any()):
            return None
        return out, self.oracles_gradients() if self.trains else {}

    def oracles_gradients(self):
        content = self.bench.tensor(self.outputs["gradients"], self.bench.torch.float32)
        places, elements = flash3d_layers.gradient_places(self.network.layers)
        if elements != content.numel():
            raise bench_torch.Wrong(f"gradients of {content.numel()} elements, expected {elements}")
        found = {name: content[first:first + math.prod(shape)].view(shape) for name, (first, shape) in places.items()}
        return found if self.rows is None else {**found, exact_passes_torch.ROWS: self.rows_of(self.outputs["x_gradient"])}

    def whole(self, forward, leaves):
        """A forward as it is; of what is trained, with the gradients of these leaves after it."""
        if not self.trains:
            return forward
        if self.rows is not None:
            leaves = {**leaves, exact_passes_torch.ROWS: self.rows}
        return trained_backbone_torch.Launch(self.bench.torch, forward, leaves, self.out_gradient)

    def tuned(self, operators):
        return self.whole(self.model(operators).forward, self.weights.leaves)

    def published(self, seed):
        parameters = published_layers_torch.Parameters(self.bench, self.network, seed)
        parameters.hold_to(self.weights, folds=not self.trains)
        leaves = parameters.leaves() if self.trains else {}
        return self.whole(self.published_network(parameters).forward, leaves)

    def convolutions(self):
        """The shapes of those in blocks."""
        return []

    def compiled_once(self):
        """One graph, or an error, the same each time: a rival that fell back to eager would be mislabeled. It has run once."""
        if self.not_compiled is not None:
            raise self.not_compiled
        if self.compiled is None:
            try:
                self.compile()
            except Exception as error:
                self.not_compiled = error
                raise
        return self.compiled

    @SPENT.on("compiling")
    def compile(self):
        torch = self.bench.torch
        torch._dynamo.reset()  # each shape for itself: sizes stay constants
        compiled = self.compiled_by(lambda function: torch.compile(function, fullgraph=True, dynamic=False, options=COMPILED))
        with at_most(self.bench.compile_seconds, "compiling"):
            self.launch_of(compiled)()
        self.compiled = compiled

    def launch_of(self, forward):
        """Holds all that it reads, but not the task, which may hold graphs of it: both would stay until garbage is collected."""
        set_grad_enabled, trains, given = self.bench.torch.set_grad_enabled, self.trains, self.given

        def launch():
            with set_grad_enabled(trains):
                return forward(given)
        return launch

    def captured_once(self, form, forward):
        """The graph of what `forward()` gives: kept by form, since compiling takes so long, for workloads that differ in what the
        host does."""
        if form not in self.graphs:
            self.graphs[form] = launches_torch.captured(self.bench.torch, self.launch_of(forward()))
        return self.graphs[form]


class Flash3DTask(Task):
    def __init__(self, bench, shape, files):
        network = flash3d_torch.Network(self.model_of(shape), shape["real"], int(shape["window"]), int(shape["bucket"]))
        self.is_cut = shape.get("order_by", "cut") == "cut"
        self.given = self.read_given(bench, shape, files[0])
        super().__init__(bench, network, shape, files)
        self.checker = flash3d_exact_torch.Checker(bench.torch, network, self.weights, self.given, self.is_cut, self.out_gradient)
        oracle = self.oracle()
        if oracle:
            self.checker.hold_to_oracle({} if network.is_block else self.index_of(self.outputs["index"]), *oracle)

    @property
    def rows(self):
        return self.given if self.network.is_block else None

    @staticmethod
    def read_given(bench, shape, files):
        if "kind" in shape:
            return bench.tensor(files["x"], bench.torch.bfloat16).view(shape["real"], -1)
        return bench.tensor(files["coordinates"], bench.torch.float16).view(-1, 3)

    @staticmethod
    def model_of(shape):
        head_width = int(shape["head_width"])
        if "model" in shape:
            return dataclasses.replace(flash3d_layers.MODELS[shape["model"]], head_width=head_width)
        return flash3d_layers.lone_block(int(shape["channels"]), head_width, (int(shape["offset"]), int(shape["stride"])))

    def index_of(self, path):
        """As Ablate's host has made it."""
        content = self.bench.tensor(path, self.bench.torch.uint8)
        levels, torch = self.network.levels, self.bench.torch
        places, size = flash3d_layers.index_places(levels)
        if size != content.numel():
            raise bench_torch.Wrong(f"an index of {content.numel()} bytes, expected {size}")

        def part(name, level, dtype, bytes_of_row):
            at = places[name][level]
            return content[at:at + bytes_of_row * levels[level].real].clone().view(dtype)

        clusters = range(len(levels) - 1)
        return {"source": part("source", 0, torch.int32, 4).long(),
                "positions": [part("positions", level, torch.float16, 6).view(-1, 3) for level in range(len(levels))],
                **{name: [part(name, level, torch.int32, 4).long() for level in clusters] for name in ("member", "cluster")}}

    def published_network(self, parameters):
        bench = self.bench
        probes = bench.tensor(self.files["probe_steps"], bench.torch.int16).tolist()
        return flash3d_published_torch.PublishedFlash3D(bench.torch, self.network, parameters, self.cores, bench.eager.attend,
                                                        probes=probes, is_cut=self.is_cut, trains=self.trains)

    def model(self, operators):
        of = trained_backbone_torch.Flash3D if self.trains else flash3d_torch.Flash3D
        return of(self.bench.torch, self.network, self.weights, self.cores, operators.attend, self.is_cut)

    def compiled_by(self, compiled):
        forward = compiled(self.model(self.bench.compilable(self.trains)).forward)
        return self.whole(forward, self.weights.leaves)


class Ptv3Task(Task):
    """Its index waits for nothing, so that a graph holds it, too; it is not compiled."""

    def __init__(self, bench, shape, files):
        self.given = self.read_given(bench, shape, files[0])
        super().__init__(bench, self.network_of(shape), shape, files)
        self.checker = ptv3_exact_torch.Checker(bench.torch, self.network, self.weights, self.given, self.out_gradient)
        oracle = self.oracle()
        if oracle:
            self.checker.hold_to_oracle(*oracle)

    @property
    def rows(self):
        return self.given["x"] if self.network.is_block else None

    @classmethod
    def read_given(cls, bench, shape, files):
        return (cls.given_block if "kind" in shape else cls.given_voxels)(bench, shape, files)

    @staticmethod
    def given_block(bench, shape, files):
        """Rows; and where they are gathered the row of each slot, and the slot of each row."""
        torch, rows = bench.torch, shape["real"]
        given = {"x": bench.tensor(files["x"], torch.bfloat16).view(rows, -1)}
        if shape.get("stand", "in_place") == "gathered":
            order = bench.tensor(files["windows"], torch.int32).long()
            given |= {"to_slots": order[:rows], "to_rows": order[rows:2 * rows]}
        return given

    @staticmethod
    def given_voxels(bench, shape, files):
        torch, voxels = bench.torch, shape["real"]
        return {"x": bench.tensor(files["x"], torch.bfloat16).view(voxels, ptv3_layers.STEM_CHANNELS),
                "cells": bench.tensor(files["cells"], torch.int32).view(-1, 3)[:voxels].contiguous(),
                "positions": bench.tensor(files["positions"], torch.float32).view(voxels, 3)}

    @staticmethod
    def model_of(shape):
        head_width = int(shape["head_width"])
        if "model" in shape:
            return dataclasses.replace(ptv3_layers.MODELS[shape["model"]], head_width=head_width)
        return ptv3_layers.lone_block(int(shape["channels"]), head_width)

    def network_of(self, shape):
        model, window = self.model_of(shape), int(shape["window"])
        if "kind" in shape:
            return ptv3_torch.Network(model, [shape["real"]], [0], window)
        rows, pairs = ([int(of) for of in shape[f"level_{what}"].split(",")] for what in ("rows", "pairs"))
        depth = max(flash3d_layers.LEVELS - 1, int(self.given["cells"].max().item()).bit_length())
        return ptv3_torch.Network(model, rows, pairs, window, depth, shape["stem_pairs"])

    def convolutions(self):
        return [self.network.convolution(*of) for of in self.network.convolutions()]

    def published_network(self, parameters):
        return ptv3_published_torch.PublishedPtv3(self.bench.torch, self.network, parameters, self.cores, self.bench.eager.attend,
                                                  trains=self.trains)

    def form_of(self, shape):
        """Of a convolution; what is trained has one."""
        return "columns" if self.trains else self.bench.convolutions.form_of(shape)

    def model(self, operators):
        of = trained_backbone_torch.Ptv3 if self.trains else ptv3_torch.Ptv3
        return of(self.bench.torch, self.network, self.weights, self.cores, self.form_of, *operators)

    def compiled_by(self, compiled):
        forward = self.model(self.bench.compilable(self.trains)).forward_by(compiled)
        return self.whole(forward, self.weights.leaves)


@SPENT.on("inputs and weights")
def task_of(bench, operation, shape, axes):
    files = bench.inputs.find(operation, axes, shape["hash"], {"pass": INFERENCE})
    is_ptv3 = shape.get("kind") == "ptv3" or shape.get("model") in ptv3_layers.MODELS
    return (Ptv3Task if is_ptv3 else Flash3DTask)(bench, shape, files)
