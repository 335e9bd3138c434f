#!/usr/bin/env python3
"""Measures whole backbones and their blocks as they are written in PyTorch, on the workloads of backbone and block in a record,
and adds them to it as further variants: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/backbone.json --out out/backbone
  ablate inputs suites/backbone.json --out out/backbone_inputs
  scripts/rivals/backbone_torch.py out/backbone --inputs out/backbone_inputs --in-turns build/release/ablate --keep rivals.json

torch_published: the published steps (flash3d_published_torch.py). torch_tuned: bf16 weights, folded batch norms, no waits, eager
(flash3d_torch.py). torch_compiled: the same by torch.compile (max-autotune-no-cudagraphs). torch_graph: that in a CUDA graph.
Attention is scaled_dot_product_attention's, by cuDNN or flash attention, whichever is faster on a shape. The eager forms are for
workloads with host=published and timed as those are, by the host's clock; torch_graph is for host=graph, likewise; with
host=absent all but torch_published are timed as Ablate times `cold-clean`, in turns with it where that is asked for. Compiling
and capturing are not timed, but --seconds counts them: a backbone takes minutes. Batches of several instances are left out.
With --sample ABLATE `ablate sample` samples the forwards of each rival, behind its timing (sampled_forwards.py): SM, tensor and
DRAM activity, gaps included.

The record must come from the same GPU (its UUID is compared), and should come from the same session. Points, rows and weights
are Ablate's own, whose hashes are compared. Before and after timing, the output is held against the pass in fp64 on the rival's
own index, which is checked, too (flash3d_exact_torch.py); what is further off than twice what rounding to bf16 makes is recorded
as `wrong`, what cannot be compiled or captured as `failed`, and neither shows a time. Launches, waits and what rounding makes
come into `quality`.
"""
import contextlib
import dataclasses
import functools
import pathlib
import sys

import bench_torch
import flash3d_exact_torch
import flash3d_layers
import flash3d_published_torch
import flash3d_torch
import launches_torch
import pool_rows_torch
import rival_contest
import rival_record
import sampled_forwards
import sdpa_torch
import written_inputs

SCRIPT = "scripts/rivals/backbone_torch.py"
OPERATIONS = ("block", "backbone")
# `hosts`: of the workloads, those that a form is for.
RIVALS = {
    "torch_published": {
        "hosts": ("published",),
        "description": "the published steps in PyTorch: autocast, batch norms apart, a table a block from the host; waits",
        "switches": {"steps": "published", "library": "torch", "compiled": "no"},
    },
    "torch_tuned": {
        "hosts": ("published", "absent"),
        "description": "in PyTorch, bf16 weights, folded batch norms, sizes known; eager, waits for nothing",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "no"},
    },
    "torch_compiled": {
        "hosts": ("absent",),
        "description": "torch_tuned by torch.compile, max-autotune-no-cudagraphs",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "yes"},
    },
    "torch_graph": {
        "hosts": ("absent", "graph"),
        "description": "torch_compiled in a CUDA graph",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "in_graph"},
    },
}
OURS = ("fused", "chosen", "chosen_by_rounds")


# Axes that records of before lack, and what rivals do: rows in place, padded and attended to as published.
PUBLISHED = {"stand": "in_place", "align": "published", "pad_keys": "attended", "pass": "inference"}


def is_for_rivals(workload):
    axes = workload["axes"]
    if any(axes.get(name, value) != value for name, value in PUBLISHED.items()):
        return False
    if workload["operation"] == "block":
        return axes["kind"] == "flash3d"
    return axes["model"] in flash3d_layers.MODELS and axes["batch"] == "1"


def shape_of(workload):
    """All axes, and what is known of the input."""
    known = workload["input"]
    return {**workload["axes"], "real": int(known["points"]), "parameters": int(known["parameters"]), "hash": known["hash"]}


def axes_of(shape):
    """Of the input: whatever the host does."""
    return {name: of for name, of in shape.items() if name not in ("real", "parameters", "hash", "host")}


def competes(variant, shape):
    return shape["host"] in RIVALS[variant]["hosts"]


def model_of(shape):
    head_width = int(shape["head_width"])
    if "model" in shape:
        return dataclasses.replace(flash3d_layers.MODELS[shape["model"]], head_width=head_width)
    return flash3d_layers.lone_block(int(shape["channels"]), head_width, (int(shape["offset"]), int(shape["stride"])))


class Task:
    """What all rivals of a shape have in common, whatever the host does: the network, what is given, and what outputs are
    held to."""

    def __init__(self, bench, operation, shape):
        torch = bench.torch
        self.bench, self.is_cut = bench, shape.get("order_by", "cut") == "cut"
        self.network = flash3d_torch.Network(model_of(shape), shape["real"], int(shape["window"]), int(shape["bucket"]))
        self.parameters = sum(layer.parameters() for layer in self.network.layers)
        if self.parameters != shape["parameters"]:
            raise bench_torch.Wrong(f"a model of {self.parameters} parameters, the record says {shape['parameters']}")
        self.files, self.outputs = bench.inputs.find(operation, axes_of(shape), shape["hash"])
        self.weights = flash3d_torch.Weights(self.network, bench.tensor(self.files["matrices"], torch.bfloat16),
                                             bench.tensor(self.files["vectors"], torch.float32))
        self.given = bench.tensor(self.files["x"], torch.bfloat16).view(shape["real"], -1) if self.network.is_block else \
            bench.tensor(self.files["coordinates"], torch.float16).view(-1, 3)
        self.checker = flash3d_exact_torch.Checker(torch, self.network, self.weights, self.given, self.is_cut)
        self.compiled = self.graph = None
        if "out" in self.outputs:
            self.hold_to_oracle()

    def hold_to_oracle(self):
        """Where Ablate's host has computed the output: zeros stand for one that takes it too long."""
        out = self.bench.tensor(self.outputs["out"], self.bench.torch.bfloat16).view(self.given.shape[0], -1)
        if bool(out.any()):
            index = {} if self.network.is_block else self.index_of(self.outputs["index"])
            self.checker.hold_to_oracle(index, out)

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

    def published(self, seed):
        bench = self.bench
        parameters = flash3d_published_torch.Parameters(bench, self.network, seed)
        parameters.hold_to(self.network, self.weights)
        probes = bench.tensor(self.files["probe_steps"], bench.torch.int16).tolist()
        return flash3d_published_torch.PublishedFlash3D(bench.torch, self.network, parameters, bench.cores, bench.attend,
                                                        probes, self.is_cut).forward

    def tuned(self, attend):
        return flash3d_torch.Flash3D(self.bench.torch, self.network, self.weights, self.bench.cores, attend,
                                     self.is_cut).forward

    def compiled_once(self):
        """One graph, or an error: a rival that fell back to eager would be mislabeled."""
        if self.compiled is None:
            torch = self.bench.torch
            torch._dynamo.reset()  # each shape for itself: sizes stay constants
            self.compiled = torch.compile(self.tuned(self.bench.operator()), fullgraph=True, dynamic=False,
                                          mode="max-autotune-no-cudagraphs")
        return self.compiled

    def launch_of(self, forward):
        def launch():
            with self.bench.torch.no_grad():
                return forward(self.given)
        return launch

    def captured_once(self):
        """The graph, and the outputs that a replay fills: kept, since compiling takes so long, for workloads that differ in
        what the host does."""
        if self.graph is None:
            launch = self.launch_of(self.compiled_once())
            launch()  # compiles
            self.graph = launches_torch.captured(self.bench.torch, launch)
        return self.graph


class BackboneBench(bench_torch.Bench):
    def __init__(self, maximum_seconds, folder, device="cuda", sampler=None):
        super().__init__(maximum_seconds, device)
        self.sampler = sampler
        self.inputs = written_inputs.WrittenInputs(folder)
        self.cores = sdpa_torch.Cores(self)
        self.attend = functools.partial(sdpa_torch.attend, self.torch)
        self.operator = functools.cache(lambda: sdpa_torch.as_operator(self.torch))
        self.tasks = {}

    def software(self):
        return {**super().software(), "cudnn": str(self.torch.backends.cudnn.version())}

    def tensor(self, path, dtype):
        return self.torch.frombuffer(written_inputs.bytes_of_npy(path), dtype=dtype).to(self.device)

    def task_of(self, operation, shape):
        key = (operation, *axes_of(shape).values(), shape["hash"])
        if key not in self.tasks:
            self.tasks[key] = Task(self, operation, shape)
        return self.tasks[key]

    def launch_of(self, variant, task, seed):
        if variant == "torch_graph":
            graph, outputs = task.captured_once()

            def replay():
                graph.replay()
                return outputs
            return replay
        return task.launch_of({"torch_published": lambda: task.published(seed), "torch_tuned": lambda: task.tuned(self.attend),
                               "torch_compiled": task.compiled_once}[variant]())

    def prepare(self, operation, variant, shape, seed):
        try:
            task = self.task_of(operation, shape)
            launch = self.launch_of(variant, task, seed)
        except pool_rows_torch.Wrong as wrong:
            raise bench_torch.Wrong(str(wrong)) from None

        def check(outputs, when):
            if not self.torch.isfinite(outputs["out"]).all().item():
                raise bench_torch.Wrong(f"{when} timing: an element of the output is no number")
            try:
                return task.checker.error(outputs)
            except pool_rows_torch.Wrong as wrong:
                raise bench_torch.Wrong(f"{when} timing: {wrong}") from None
        return launch, check

    def time_whole(self, launch, of, longest_wait=bench_torch.LONGEST_WAIT_SECONDS):
        host = of["shape"]["host"]
        if host == "absent":
            return super().time_whole(launch, of, longest_wait)
        timed = self.time_host(launch)
        return {**timed, "method": "host_clock_graph"} if host == "graph" else timed

    # What a record says beside times.

    def further(self, launch, of):
        found = super().further(launch, of)
        if self.sampler is None:
            return found
        marked = sampled_forwards.Marked(self.torch, self.stamps)
        try:
            return {**found, "sampled": sampled_forwards.sampled(self.sampler, lambda: marked.run(launch))}
        except sampled_forwards.Unavailable as why:
            return {**found, "sampled": None, "sampled_reason": str(why)}

    def figures(self, launch, of):
        task = self.task_of(of["operation"], of["shape"])
        figures = {"out_error_of_bf16": task.checker.rounding, **self.attentions(task),
                   "peak_bytes": self.peak_bytes(launch, task, of["variant"])}
        if of["variant"] == "torch_published":
            return figures
        is_eager = of["variant"] == "torch_tuned"
        return figures | self.counted(lambda: launches_torch.of_graph(
            launches_torch.captured(self.torch, launch)[0] if is_eager else task.captured_once()[0]))

    def peak_bytes(self, launch, task, variant):
        """Of device memory: a forward's input and weights, and what it takes from the allocator at its peak; None for a graph,
        whose memory was taken when it was captured."""
        if variant == "torch_graph":
            return None
        cuda = self.torch.cuda
        cuda.reset_peak_memory_stats()
        before = cuda.memory_allocated()
        launch()
        cuda.synchronize()
        bytes_of_weight = 4 if variant == "torch_published" else 2
        given = task.given.numel() * task.given.element_size()
        return cuda.max_memory_allocated() - before + given + bytes_of_weight * task.parameters

    def attentions(self, task):
        """How many layers attend by which core."""
        cores = [self.cores.core_of(task.network.attention(level, channels))
                 for levels in (task.network.encoder(), task.network.decoder())
                 for blocks in levels for _, level, channels, _ in blocks]
        return {f"attentions_by_{core}": cores.count(core) for core in sdpa_torch.CORES}

    def counted(self, count):
        """What cannot be counted is null, and times stand."""
        try:
            return count()
        except Exception as error:  # whatever a capture or a profiler throws
            print(f"launches: {bench_torch.reason_of(error)}", file=sys.stderr)
            return {"launches": None, "host_waits": None}

    def finish(self, found, seed):
        """A profiler stays in the process: torch_published, which waits and cannot be captured, is made once more."""
        for measurement in found.all["measurements"]:
            of = {key: measurement[key] for key in ("operation", "variant", "shape")}
            if of["variant"] == "torch_published" and measurement["status"] == "ok" and \
                    "launches" not in measurement["figures"]:
                measurement["figures"] |= self.counted(
                    lambda: launches_torch.profiled(self.torch, self.prepare(**of, seed=seed)[0]))


def contest(folder, forms=tuple(RIVALS), sampler=None):
    return rival_contest.Contest(
        script=SCRIPT, rivals=RIVALS, operations=OPERATIONS, shape_of=shape_of,
        is_for_rivals=is_for_rivals,
        bench=lambda maximum_seconds: BackboneBench(maximum_seconds, folder, sampler=sampler), ours=dict.fromkeys(OPERATIONS, OURS),
        competes=lambda variant, shape: variant in forms and competes(variant, shape),
        size_of=lambda shape: shape["real"] * shape["parameters"], methods=("events", "host_clock", "host_clock_graph"))


def main(arguments):
    parser = rival_contest.parser(__doc__)
    parser.add_argument("--inputs", type=pathlib.Path, metavar="DIR", help="what `ablate inputs` wrote for the record's suite")
    parser.add_argument("--forms", nargs="+", choices=RIVALS, default=list(RIVALS), metavar="VARIANT",
                        help="of the rivals [all]")
    parser.add_argument("--sample", metavar="ABLATE", help="the program `ablate`, to sample each rival's forwards by")
    given = parser.parse_args(arguments)
    if given.inputs is None and given.from_json is None:
        raise rival_record.BadRecord("--inputs: expected the folder that `ablate inputs` wrote; only --from-json needs none")
    with contextlib.ExitStack() as until_then:
        sampler = given.sample and sampled_forwards.AblateSample(given.sample)
        if sampler:
            until_then.callback(sampler.close)
        rival_contest.add_rivals(contest(given.inputs, given.forms, sampler), given, arguments, list(OPERATIONS))


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
