#!/usr/bin/env python3
"""Measures whole backbones and their blocks as they are written in PyTorch, on the workloads of backbone and block in a record,
and adds them to it as further variants: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/backbone.json --out out/backbone
  ablate dev inputs suites/backbone.json --out out/backbone_inputs
  scripts/rivals/backbone_torch.py out/backbone --inputs out/backbone_inputs --in-turns build/release/ablate --keep rivals.json

torch_published: the published steps (flash3d_published_torch.py, ptv3_published_torch.py). torch_tuned: bf16 weights, folded
batch norms, no waits, eager (flash3d_torch.py, ptv3_torch.py). torch_tuned_graph: that in a CUDA graph. torch_compiled:
torch_tuned by torch.compile (max-autotune, products by cuBLAS), of PTv3 what follows its index. torch_graph: that in a
CUDA graph, PTv3's index too. Attention is scaled_dot_product_attention's, by cuDNN or flash attention, and convolutions of
tuned blocks are a product of all offsets' rows or a grouped product of pairs (sparse_rows_torch.py), whichever is faster on a
shape. The eager forms are for workloads with host=published and timed as those are, by the host's clock; the graphs are for
host=graph, likewise; with host=absent all but torch_published are timed as Ablate times `cold-clean`, in turns with it where
that is asked for. Compiling and capturing are not timed, but --seconds counts them. What takes more than --compile-seconds is
`failed`, and the others go on. Batches of several instances are left out, as are models between PTv3 and Flash3D.
With --sample ABLATE `ablate dev sample` samples the forwards of each rival, after its timing (sampled_forwards.py): SM, tensor and
DRAM activity, gaps included.

With --trained the workloads with pass=training instead: the same rivals, forward and the gradients of all parameters by autograd
in one launch (trained_backbone_torch.py), in bf16 where weights are, batch norms in training form and not folded; cores are chosen
by forward and backward, convolutions have one form. Gradients are held to those of the pass in fp64 (exact_passes_torch.py). The
allocator's peak is in `quality` (peak_bytes).

The record must come from the same GPU (its UUID is compared), and should come from the same session. Points, rows and weights
are Ablate's own, whose hashes are compared. Before and after timing, the output is held against the pass in fp64 on the rival's
own index, which is checked, too (flash3d_exact_torch.py, ptv3_exact_torch.py); what is further off than twice what rounding to
bf16 makes is recorded as `wrong`, with whether a graph's launch is right without it, what cannot be compiled or captured as
`failed`, and neither shows a time. Launches, waits and what rounding makes come into `quality`.
"""
import contextlib
import functools
import math
import pathlib
import sys

import backbone_tasks
import bench_torch
import flash3d_layers
import launches_torch
import pool_rows_torch
import ptv3_layers
import rival_contest
import rival_record
import sampled_forwards
import sdpa_torch
import sparse_rows_torch
import written_inputs

SCRIPT = "scripts/rivals/backbone_torch.py"
OPERATIONS = ("block", "backbone")
# `hosts`: of the workloads, those that a form is for.
RIVALS = {
    "torch_published": {
        "hosts": ("published",),
        "description": "the published steps in PyTorch: autocast, batch norms apart, an index a block; waits as published",
        "switches": {"steps": "published", "library": "torch", "compiled": "no"},
    },
    "torch_tuned": {
        "hosts": ("published", "absent"),
        "description": "in PyTorch, bf16 weights, folded batch norms, sizes known; eager, waits for nothing",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "no"},
    },
    "torch_tuned_graph": {
        "hosts": ("absent", "graph"),
        "description": "torch_tuned in a CUDA graph",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "no_in_graph"},
    },
    "torch_compiled": {
        "hosts": ("absent",),
        "description": "torch_tuned by torch.compile, max-autotune, products by cuBLAS; of PTv3 what stands behind its index",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "yes"},
    },
    "torch_graph": {
        "hosts": ("absent", "graph"),
        "description": "torch_compiled in a CUDA graph, PTv3's index with it",
        "switches": {"steps": "tuned", "library": "torch", "compiled": "in_graph"},
    },
}
IN_GRAPHS = {"torch_tuned_graph": "torch_tuned", "torch_graph": "torch_compiled"}  # what they hold
OURS = {backbone_tasks.INFERENCE: ("fused", "fused+pdl", "per_layer_best", "per_layer_best+pdl", "per_layer_best_exp2_bf16x2", "fused_steps",
                                   "fused_steps_exp2_bf16x2", "fused_steps_exp2_bf16x2+tiles=wave_fit", "fused_steps_exp2_bf16x2+tiles=wave_fit_overlapped", "pools_second_stream",
                                   "pools_second_stream+prefetch=weights", "pools_second_stream+tiles=wave_fit_overlapped+prefetch=weights", "per_layer_best+attention=hopper_wave_fit"),
        backbone_tasks.TRAINING: ("fused", "per_layer_best", "per_layer_best_two_pass_dq", "second_stream", "per_layer_best_persistent_dq",
                                  "second_stream+dq=window_per_cta", "second_stream_exp2_bf16x2", "second_stream_four_groups",
                                  "second_stream_private_dq", "second_stream+weights=second_stream_to_end", "exp2_bf16x2_four_groups",
                                  "exp2_bf16x2_private_dq")}
COMPILE_SECONDS = 300


# Axes that records of before lack, and what rivals do: rows padded and attended to as published, each step once.
PUBLISHED = {"align": "published", "pad_keys": "attended", "step_launches": "1"}
# Of the input, beside axes.
KNOWN = ("real", "parameters", "hash", "level_rows", "level_pairs", "stem_pairs")


def pass_of(axes):
    return axes.get("pass", backbone_tasks.INFERENCE)


def is_for_rivals(workload, wanted=backbone_tasks.INFERENCE):
    """`wanted`: the pass."""
    axes = workload["axes"]
    if pass_of(axes) != wanted or any(axes.get(name, value) != value for name, value in PUBLISHED.items()):
        return False
    if workload["operation"] == "block":
        if axes["kind"] == "flash3d":
            return axes.get("stand", "in_place") == "in_place"
        return (axes["offset"], axes["stride"]) == ("0", "1")
    return axes["model"] in (*flash3d_layers.MODELS, *ptv3_layers.MODELS) and axes["batch"] == "1"


def shape_of(workload):
    """All axes, and what is known of the input; of a PTv3 also how many voxels and pairs of neighbors its levels have."""
    known = workload["input"]
    shape = {**workload["axes"], "real": int(known["points"]), "parameters": int(known["parameters"]), "hash": known["hash"]}
    if workload["axes"].get("model") not in ptv3_layers.MODELS:
        return shape
    of_levels = {f"level_{what}": ",".join(str(known[f"{what}_{level + 1}"]) for level in range(flash3d_layers.LEVELS))
                 for what in ("rows", "pairs")}
    return {**shape, **of_levels, "stem_pairs": int(known["stem_pairs"])}


def axes_of(shape):
    """Of the input: whatever the host does."""
    return {**{name: of for name, of in shape.items() if name not in (*KNOWN, "host")}, "pass": pass_of(shape)}


def input_of(operation, shape):
    """What workloads that differ in what the host does have in common: the passes in fp64, compiled forms and graphs."""
    return (operation, *axes_of(shape).values(), shape["hash"])


def competes(variant, shape):
    return shape["host"] in RIVALS[variant]["hosts"]


class BackboneBench(bench_torch.Bench):
    def __init__(self, maximum_seconds, folder, device="cuda", sampler=None, compile_seconds=COMPILE_SECONDS):
        super().__init__(maximum_seconds, device)
        self.sampler, self.compile_seconds = sampler, compile_seconds
        self.inputs = written_inputs.WrittenInputs(folder)
        self.cores, self.trained_cores = sdpa_torch.Cores(self), sdpa_torch.Cores(self, trains=True)
        self.convolutions = sparse_rows_torch.Convolutions(self)
        self.eager = backbone_tasks.Operators(*(functools.partial(of, self.torch)
                                                for of in (sdpa_torch.attend, sparse_rows_torch.grouped)))
        self.compilable = functools.cache(lambda trains: backbone_tasks.Operators(
            sdpa_torch.TrainedOperator(self.torch) if trains else sdpa_torch.as_operator(self.torch),
            None if trains else sparse_rows_torch.as_operator(self.torch)))
        self.tasks = {}

    def software(self):
        return {**super().software(), "cudnn": str(self.torch.backends.cudnn.version())}

    def tensor(self, path, dtype):
        return self.torch.frombuffer(written_inputs.bytes_of_npy(path), dtype=dtype).to(self.device)

    def task_of(self, operation, shape):
        key = input_of(operation, shape)
        if key not in self.tasks:
            self.tasks.clear()  # with its graphs, which hold a pass's memory
            self.tasks[key] = backbone_tasks.task_of(self, operation, shape, axes_of(shape))
        return self.tasks[key]

    def graph_of(self, variant, task):
        """Of what is in a graph, or can be."""
        form = IN_GRAPHS.get(variant, variant)
        return task.captured_once(form, task.compiled_once if form == "torch_compiled" else lambda: task.tuned(self.eager))

    def launch_of(self, variant, task, seed):
        if variant not in IN_GRAPHS:
            return task.launch_of({"torch_published": lambda: task.published(seed), "torch_tuned": lambda: task.tuned(self.eager),
                                   "torch_compiled": task.compiled_once}[variant]())
        return self.graph_of(variant, task).replay

    def prepare(self, operation, variant, shape, seed):
        try:
            task = self.task_of(operation, shape)
            task.checker.prepare()
            launch = self.launch_of(variant, task, seed)
        except pool_rows_torch.Wrong as wrong:
            raise bench_torch.Wrong(str(wrong)) from None

        def check(outputs, when):
            try:
                error = task.checker.error(outputs)
            except pool_rows_torch.Wrong as wrong:
                raise bench_torch.Wrong(f"{when} timing: {wrong}; {self.clues(variant, task)}") from None
            if variant in IN_GRAPHS:
                self.poison(outputs)
            return error
        return launch, check

    @staticmethod
    def poison(outputs):
        """Each replay fills the same tensors: one that did nothing would leave what the replay before it found."""
        outputs["out"].fill_(math.nan)

    def clues(self, variant, task):
        """Of a wrong output: whether what is given is as it was, and whether what a graph was captured from is right without it."""
        try:
            altered = task.altered()
            found = f"no longer as it was given: {', '.join(altered)}" if altered else "what is given is as it was"
            if variant in IN_GRAPHS:
                found += f"; without its graph {self.without_graph(task.graphs[IN_GRAPHS[variant]].launch, task)}"
            return found
        except Exception as error:  # the device may be in any state
            return f"why cannot be told: {bench_torch.reason_of(error)}"

    @staticmethod
    def without_graph(launch, task):
        try:
            task.checker.error(launch())
            return "it is right"
        except pool_rows_torch.Wrong as wrong:
            return f"it is wrong, too: {wrong}"

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
        figures = {**task.checker.rounding(), **self.attentions(task), **self.convolution_forms(task, of["variant"]),
                   "peak_bytes": self.peak_bytes(launch, task, of["variant"])}
        if of["variant"] == "torch_published":
            return figures
        return figures | self.counted(lambda: launches_torch.of_graph(self.graph_of(of["variant"], task).graph))

    def peak_bytes(self, launch, task, variant):
        """Of device memory: what is given, weights, and what a launch takes from the allocator at its peak, gradients among it; a
        graph took that when it was captured."""
        most = task.graphs[IN_GRAPHS[variant]].peak_bytes if variant in IN_GRAPHS else \
            launches_torch.peak_bytes(self.torch, launch)[0]
        bytes_of_weight = 4 if variant == "torch_published" else 2
        given = task.given.values() if isinstance(task.given, dict) else [task.given]
        given = [*given, *([task.out_gradient] if task.trains else [])]
        return most + sum(of.numel() * of.element_size() for of in given) + bytes_of_weight * task.parameters

    def attentions(self, task):
        """How many layers attend by which core."""
        cores = [task.cores.core_of(task.network.attention(level, channels))
                 for _, level, channels, _ in task.network.all_blocks()]
        return {f"attentions_by_{core}": cores.count(core) for core in sdpa_torch.CORES}

    def convolution_forms(self, task, variant):
        """How many convolutions of blocks have which form."""
        if variant == "torch_published" or not task.convolutions():
            return {}
        forms = [task.form_of(shape) for shape in task.convolutions()]
        return {f"convolutions_by_{form}": forms.count(form) for form in sparse_rows_torch.FORMS}

    def counted(self, count):
        """What cannot be counted is null; times remain valid."""
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
                measurement["figures"] |= self.counted(lambda: launches_torch.profiled(
                    self.torch, self.launch_of(of["variant"], self.task_of(of["operation"], of["shape"]), seed)))


def contest(folder, forms=tuple(RIVALS), sampler=None, compile_seconds=COMPILE_SECONDS, wanted=backbone_tasks.INFERENCE):
    return rival_contest.Contest(
        script=SCRIPT, rivals=RIVALS, operations=OPERATIONS, shape_of=shape_of,
        is_for_rivals=lambda workload: is_for_rivals(workload, wanted), ours=dict.fromkeys(OPERATIONS, OURS[wanted]),
        bench=lambda maximum_seconds: BackboneBench(maximum_seconds, folder, sampler=sampler, compile_seconds=compile_seconds),
        competes=lambda variant, shape: variant in forms and competes(variant, shape),
        size_of=lambda shape: shape["real"] * shape["parameters"], input_of=input_of,
        methods=("events", "host_clock", "host_clock_graph"))


def main(arguments):
    parser = rival_contest.parser(__doc__)
    parser.add_argument("--inputs", type=pathlib.Path, metavar="DIR", help="inputs that `ablate dev inputs` wrote for the record's suite")
    parser.add_argument("--trained", action="store_true", help="instead, the workloads that train (pass=training)")
    parser.add_argument("--forms", nargs="+", choices=RIVALS, default=list(RIVALS), metavar="VARIANT",
                        help="of the rivals [all]")
    parser.add_argument("--compile-seconds", type=float, default=COMPILE_SECONDS, metavar="S",
                        help="time limit for compiling a shape [%(default)s]")
    parser.add_argument("--sample", metavar="ABLATE", help="the program `ablate`, to sample each rival's forwards with")
    given = parser.parse_args(arguments)
    if given.inputs is None and given.from_json is None:
        raise rival_record.BadRecord("--inputs: expected the folder that `ablate dev inputs` wrote; only --from-json needs none")
    with contextlib.ExitStack() as until_then:
        sampler = given.sample and sampled_forwards.AblateSample(given.sample)
        if sampler:
            until_then.callback(sampler.close)
        wanted = backbone_tasks.TRAINING if given.trained else backbone_tasks.INFERENCE
        of = contest(given.inputs, given.forms, sampler, given.compile_seconds, wanted)
        rival_contest.add_rivals(of, given, arguments, list(OPERATIONS))


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
