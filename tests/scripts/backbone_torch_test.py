"""scripts/rivals/backbone_torch.py: which workloads its rivals get, on which inputs, by which clock, and what comes into a record
beside times."""
import contextlib
import ctypes
import gc
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock
import weakref

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import backbone_tasks  # noqa: E402
import backbone_torch as backbone  # noqa: E402
import bench_torch  # noqa: E402
import flash3d_layers  # noqa: E402
import launches_torch  # noqa: E402
import pool_rows_torch  # noqa: E402
import ptv3_layers  # noqa: E402
import rival_record  # noqa: E402
import sampled_forwards  # noqa: E402
import sdpa_torch  # noqa: E402

CONTEST = backbone.contest(None)
POINTS = {"nuscenes": 23091, "lidar": 92867}


def workload(host="absent", method="events", **axes):
    axes = {"model": "flash46", "points": "0", "batch": "1", "sizes": "equal", "distribution": "nuscenes",
            "points_as": "voxels", "order_by": "cut", "window": "4096", "bucket": "512", "head_width": "16", **axes, "host": host}
    made = entry("backbone", axes, method, POINTS[axes["distribution"]], 46655616)
    if axes["model"] in backbone.ptv3_layers.MODELS:
        made["input"] |= {"stem_pairs": 95315, **{f"rows_{level}": 10 - level for level in range(1, 6)},
                          **{f"pairs_{level}": 40 - level for level in range(1, 6)}}
    return made


def block(host="absent", **axes):
    axes = {"kind": "flash3d", "rows": "24576", "channels": "64", "window": "4096", "bucket": "512", "head_width": "16",
            "offset": "0", "stride": "1", **axes, "host": host}
    return entry("block", axes, "events", int(axes["rows"]), 66624)


def entry(operation, axes, method, points, parameters):
    name = "/".join([operation, "fused", *(f"{axis}={value}" for axis, value in axes.items()), "@cold-clean"])
    return {"operation": operation, "variant": "fused", "name": name, "axes": axes, "cache_state": "cold-clean",
            "input": {"hash": "00000000000000aa", "points": points, "parameters": parameters}, "time_us": {"method": method}}


def rivals_of(of):
    return CONTEST.rivals_of(backbone.shape_of(of))


class Shapes(unittest.TestCase):
    def test_forms_compete_where_the_host_plays_their_part(self):
        self.assertEqual(rivals_of(workload("published")), ["torch_published", "torch_tuned"])
        without_host = ["torch_tuned", "torch_tuned_graph", "torch_compiled", "torch_graph"]
        self.assertEqual(rivals_of(workload()), without_host)
        self.assertEqual(rivals_of(workload("graph")), ["torch_tuned_graph", "torch_graph"])
        self.assertEqual(rivals_of(block()), without_host)

    def test_forms_can_be_chosen(self):
        contest = backbone.contest(None, ["torch_graph"])
        self.assertEqual(contest.rivals_of(backbone.shape_of(workload())), ["torch_graph"])

    def test_batches_and_other_models_are_left_out(self):
        self.assertTrue(backbone.is_for_rivals(workload(window="1024", order_by="psh", head_width="64")))
        self.assertTrue(backbone.is_for_rivals(block()))
        self.assertTrue(backbone.is_for_rivals(workload(align="published", pad_keys="attended")))
        self.assertTrue(backbone.is_for_rivals(block(stand="in_place")))
        for of in (workload(model="ptv3", window="1024"), workload(model="ptv3_one_order"), block(kind="ptv3"),
                   block(kind="ptv3", stand="gathered")):
            self.assertTrue(backbone.is_for_rivals(of), of["name"])
        for of in (workload(batch="2"), workload(model="ptv3", batch="2"), workload(model="ptv3_bucket_pools"),
                   workload(model="flash19_gelu"), block(kind="ptv3", offset="1"), workload(align="window"),
                   workload(pad_keys="masked"), workload(step_launches="8"),
                   block(**{"pass": "training"}), block(stand="gathered")):
            self.assertFalse(backbone.is_for_rivals(of), of["name"])

    def test_what_trains_is_a_contest_of_its_own(self):
        contest = backbone.contest(None, wanted=backbone_tasks.TRAINING)
        for made in (workload, block):
            trained = made(**{"pass": "training"})
            self.assertFalse(CONTEST.is_for_rivals(trained))
            self.assertTrue(contest.is_for_rivals(trained))
            self.assertFalse(contest.is_for_rivals(made()))
            self.assertEqual(backbone.axes_of(contest.shape_of(trained))["pass"], "training")
            self.assertEqual(contest.rivals_of(contest.shape_of(trained)), rivals_of(made()))
        self.assertIn("per_layer_best_two_pass_dq", contest.ours["block"])

    def test_ptv3s_shape_says_what_its_levels_have_and_its_input_is_found_without(self):
        shape = backbone.shape_of(workload(model="ptv3"))
        self.assertEqual((shape["level_rows"], shape["level_pairs"], shape["stem_pairs"]),
                         ("9,8,7,6,5", "39,38,37,36,35", 95315))
        axes = workload(model="ptv3")["axes"]
        self.assertEqual(backbone.axes_of(shape), {**{name: of for name, of in axes.items() if name != "host"}, "pass": "inference"})
        self.assertEqual(CONTEST.rivals_of(shape), ["torch_tuned", "torch_tuned_graph", "torch_compiled", "torch_graph"])
        self.assertEqual(rivals_of(workload("once", model="ptv3")), [])

    def test_those_of_an_input_follow_each_other(self):
        of = [workload(), workload(window="1024"), workload("graph", window="1024"), workload("graph")]
        self.assertEqual([(shape["window"], shape["host"]) for _, shape in CONTEST.shapes_of(of)],
                         [("4096", "absent"), ("4096", "graph"), ("1024", "absent"), ("1024", "graph")])

    def test_hosts_are_workloads_apart_on_one_input(self):
        shapes = [backbone.shape_of(of) for of in (workload(), workload("graph"), workload("published"))]
        self.assertEqual(len(CONTEST.shapes_of([workload(), workload("graph"), workload("published"), workload()])), 3)
        self.assertEqual({tuple(backbone.axes_of(shape).items()) for shape in shapes},
                         {tuple(backbone.axes_of(shapes[0]).items())})
        self.assertNotIn("host", backbone.axes_of(shapes[0]))

    def test_small_ones_come_first(self):
        shapes = CONTEST.shapes_of([workload(distribution="lidar"), workload(), block()])
        self.assertEqual([shape["real"] for _, shape in shapes], [24576, 23091, 92867])

    def test_workloads_by_the_hosts_clock_and_in_graphs_count(self):
        record = {"benchmarks": [workload(), workload("published", "host_clock"), workload("graph", "host_clock_graph")]}
        found = rival_record.workloads(record, ["backbone"], CONTEST.is_for_rivals, methods=CONTEST.methods)
        self.assertEqual(len(found), 3)

    def test_models_have_the_heads_and_scopes_of_their_axes(self):
        of = backbone_tasks.Flash3DTask.model_of(backbone.shape_of(workload(head_width="64")))
        self.assertEqual((of.heads(32), of.heads(512), len(of.decoder)), (1, 8, 5))
        of = backbone_tasks.Flash3DTask.model_of(backbone.shape_of(block(offset="3", stride="2")))
        self.assertEqual((of.encoder[0].scopes, of.decoder), (((3, 2),), ()))
        of = backbone_tasks.Ptv3Task.model_of(backbone.shape_of(workload(model="ptv3", head_width="64")))
        self.assertEqual((of.heads(32), of.heads(512), len(of.decoder), of.curves), (1, 8, 4, 4))
        of = backbone_tasks.Ptv3Task.model_of(backbone.shape_of(block(kind="ptv3")))
        self.assertEqual((of.encoder[0].channels, of.decoder, of.has_positions), (64, (), False))


class Layers(unittest.TestCase):
    def test_models_have_the_specified_parameters(self):
        for name, parameters in (("flash19", 19331712), ("flash46", 46655616), ("flash129", 131249280),
                                 ("flash129_deep", 128609920)):
            layers = flash3d_layers.layers_of(flash3d_layers.MODELS[name])
            self.assertEqual(sum(layer.parameters() for layer in layers), parameters, name)
        for name, parameters in (("ptv3", 46158272), ("ptv3_without_positions", 14201536)):
            layers = ptv3_layers.layers_of(ptv3_layers.MODELS[name])
            self.assertEqual(sum(layer.parameters() for layer in layers), parameters, name)

    def test_slots_are_whole_windows_but_for_what_fits_one(self):
        self.assertEqual([ptv3_layers.slots_of(rows, 1024) for rows in (1000, 1024, 1025, 23091)], [1000, 1024, 2048, 23552])

    def test_levels_have_the_specified_tokens(self):
        rows = [level.rows for level in flash3d_layers.levels_of(23091, 4096)]
        self.assertEqual(rows, [24576, 12288, 8192, 4096, 4096])
        rows = [level.rows for level in flash3d_layers.levels_of(92867, 4096)]
        self.assertEqual(rows, [98304, 49152, 24576, 12288, 8192])

    def test_a_scope_is_a_partition_of_the_buckets(self):
        for scope in ((0, 1), (1, 1), (7, 1), (0, 2), (5, 3)):
            table = flash3d_layers.scope_table(24576, 4096, 512, scope)
            self.assertEqual(sorted(table), list(range(48)), scope)
        self.assertEqual(flash3d_layers.scope_table(2048, 512, 256, (0, 2)), [0, 2, 1, 3, 4, 6, 5, 7])
        with self.assertRaises(ValueError):
            flash3d_layers.scope_table(4096, 4096, 512, (0, 2))


class Attention(unittest.TestCase):
    def test_the_faster_core_attends(self):
        self.assertEqual(sdpa_torch.fastest({"cudnn": 10.0, "flash": 12.0}), "cudnn")
        self.assertEqual(sdpa_torch.fastest({"cudnn": 13.0, "flash": 12.0}), "flash")
        self.assertEqual(sdpa_torch.fastest({"cudnn": None, "flash": 12.0}), "flash")
        self.assertEqual(sdpa_torch.fastest({"cudnn": None, "flash": None}), "default")

    def test_a_core_that_cannot_or_is_wrong_has_no_time_and_a_choice_is_made_once(self):
        calls = []

        def attend(torch, qkv, shape, core):
            calls.append(core)
            if core == "cudnn" and shape.heads == 2:
                raise RuntimeError("No valid execution plans built.")
            return core
        replaced = sdpa_torch.attend, sdpa_torch.error_of
        self.addCleanup(lambda: (setattr(sdpa_torch, "attend", replaced[0]), setattr(sdpa_torch, "error_of", replaced[1])))
        sdpa_torch.attend = attend
        sdpa_torch.error_of = lambda qkv, shape, out: 0.7 if (out, shape.heads) == ("flash", 4) else 2e-3
        rows = types.SimpleNamespace(detach=lambda: None)
        torch = types.SimpleNamespace(randn=lambda shape, **_: rows, bfloat16="bf16", no_grad=contextlib.nullcontext)
        times = {"cudnn": 20.0, "flash": 10.0}
        bench = types.SimpleNamespace(torch=torch, device="cuda", warm_up=lambda launch: (5, times[launch()[0]]))
        cores = sdpa_torch.Cores(bench)
        for heads, core in ((2, "flash"), (4, "cudnn"), (8, "flash")):
            shape = sdpa_torch.AttentionShape(6, 4096, heads, 16)
            self.assertEqual(cores.core_of(shape), core)
            before = len(calls)
            self.assertEqual(cores.core_of(shape), core)
            self.assertEqual(len(calls), before)


def made_bench():
    bench = backbone.BackboneBench.__new__(backbone.BackboneBench)
    bench.maximum_seconds, bench.tasks, bench.sampler = 0.01, {}, None
    bench.torch = types.SimpleNamespace(
        no_grad=contextlib.nullcontext, OutOfMemoryError=MemoryError, cuda=types.SimpleNamespace(synchronize=lambda: None))
    bench.flush = lambda: None
    bench.warm_up = lambda launch: (3, 10.0)
    return bench


class Clocks(unittest.TestCase):
    def test_each_workload_has_the_clock_of_ablates_own(self):
        bench = made_bench()
        bench.time_cold_clean = lambda launch, wait: {"samples_us": [1.0]}
        methods = [bench.time_whole(lambda: None, {"operation": "backbone", "variant": "torch_graph", "shape": {"host": host}})
                   .get("method", "events") for host in ("absent", "published", "graph")]
        self.assertEqual(methods, ["events", "host_clock", "host_clock_graph"])


class MadeTask:
    """A pass that gives a number, and a checker that wants 1."""

    def __init__(self, given=1.0):
        self.given, self.captures, self.network, self.shapes = given, [], None, []
        self.graphs, self.spoiled = {}, None
        self.checker = types.SimpleNamespace(rounding=lambda: {"out_error_of_bf16": 3e-3}, error=self.error, prepare=self.prepare)

    def prepare(self):
        self.was_prepared = not self.captures

    def altered(self):
        return [] if self.given == 1.0 else ["x"]

    def error(self, outputs):
        if outputs["out"] != 1.0:
            raise pool_rows_torch.Wrong("off by 1.00e+00 of the norm")
        return 2e-3

    def launch_of(self, forward):
        return lambda: forward(self.given)

    def published(self, seed):
        return lambda given: {"out": given, "seed": seed}

    def tuned(self, operators):
        return lambda given: {"out": given}

    def convolutions(self):
        return self.shapes

    def compiled_once(self):
        return self.tuned(None)

    def form_of(self, shape):
        return shape

    def captured_once(self, form, forward):
        self.captures.append(form)
        launch = self.launch_of(forward())
        outputs = launch() if self.spoiled is None else {"out": self.spoiled}
        self.graphs[form] = launches_torch.Captured(types.SimpleNamespace(replay=lambda: None), outputs, 700, launch)
        return self.graphs[form]


class MadeSampler:
    """As sampled_forwards.AblateSample; counts ranges."""

    def __init__(self, why_not=None):
        self.why_not, self.lengths, self.count = why_not, [], 0

    def begin(self, range_us):
        if self.why_not:
            raise sampled_forwards.Unavailable(self.why_not)
        self.lengths.append(range_us)

    def end(self, ranges):
        self.count += len(ranges)

    def finish(self, unsampled):
        return {"ranges": self.count, "alone": len(unsampled)}


class Measuring(unittest.TestCase):
    def setUp(self):
        self.bench, self.shape = made_bench(), backbone.shape_of(workload())
        self.bench.eager = self.task = None
        self.bench.time_whole = lambda launch, of, wait=None: {"samples_us": [5.0], "warmup_launches": 1, "stopped_by": "time"}
        self.bench.attentions = lambda task: {"attentions_by_cudnn": 30, "attentions_by_flash": 2}
        self.bench.peak_bytes = lambda launch, task, variant: 1000
        self.bench.poison = lambda outputs: None
        self.counts = {"launches": 250, "host_waits": 0}
        self.replaced = launches_torch.of_graph, launches_torch.profiled
        launches_torch.of_graph = lambda graph: self.counts
        launches_torch.profiled = lambda torch, launch: {"launches": 1000, "host_waits": 44, "of": launch()}
        self.addCleanup(self.restore)

    def restore(self):
        launches_torch.of_graph, launches_torch.profiled = self.replaced

    def measure(self, variant, given=1.0, host="absent", spoiled=None):
        self.task = MadeTask(given)
        self.task.spoiled = spoiled
        self.bench.task_of = lambda operation, shape: self.task
        return self.bench.measure("backbone", variant, {**self.shape, "host": host}, 7)

    def test_each_form_says_what_it_launches(self):
        forms = {"torch_tuned": "torch_tuned", "torch_tuned_graph": "torch_tuned", "torch_compiled": "torch_compiled",
                 "torch_graph": "torch_compiled"}
        for variant, form in forms.items():
            measured = self.measure(variant)
            self.assertEqual(measured["status"], "ok", measured)
            self.assertEqual(set(self.task.captures), {form})
            self.assertEqual(measured["figures"], {"out_error_of_bf16": 3e-3, "attentions_by_cudnn": 30,
                                                   "attentions_by_flash": 2, "launches": 250, "host_waits": 0,
                                                   "peak_bytes": 1000})
            self.assertNotIn("sampled", measured)
            quality = rival_record.quality(measured)
            self.assertEqual((quality["relative_error"], quality["launches"]), (2e-3, 250))

    def test_forms_of_convolutions_are_told_where_there_are_some(self):
        task = MadeTask()
        self.assertEqual(self.bench.convolution_forms(task, "torch_tuned"), {})
        task.shapes = ["grouped", "columns", "grouped"]
        self.assertEqual(self.bench.convolution_forms(task, "torch_graph"),
                         {"convolutions_by_columns": 1, "convolutions_by_grouped": 2})
        self.assertEqual(self.bench.convolution_forms(task, "torch_published"), {})

    def test_forwards_are_sampled_where_that_is_asked_for(self):
        self.bench.stamps = types.SimpleNamespace(before=lambda i: None, after=lambda i: None,
                                                  ranges=lambda count: [[1000, 4000]] * count)
        self.bench.torch.cuda.nvtx = types.SimpleNamespace(range_push=lambda name: None, range_pop=lambda: None)
        self.bench.sampler = MadeSampler()
        measured = self.measure("torch_tuned")
        self.assertEqual(measured["sampled"], {"ranges": 12, "alone": 12})
        self.assertEqual(self.bench.sampler.lengths, [3.0] * 3)

    def test_what_cannot_be_sampled_says_why_and_the_time_stands(self):
        self.bench.stamps = types.SimpleNamespace(before=lambda i: None, after=lambda i: None,
                                                  ranges=lambda count: [[1000, 4000]] * count)
        self.bench.torch.cuda.nvtx = types.SimpleNamespace(range_push=lambda name: None, range_pop=lambda: None)
        self.bench.sampler = MadeSampler("profiling needs privileges")
        measured = self.measure("torch_tuned")
        self.assertEqual((measured["status"], measured["sampled"], measured["sampled_reason"]),
                         ("ok", None, "profiling needs privileges"))

    def test_memory_is_the_peak_above_what_was_there_with_weights_and_input(self):
        cuda = types.SimpleNamespace(reset_peak_memory_stats=lambda: None, memory_allocated=lambda: 5000,
                                     max_memory_allocated=lambda: 7500, synchronize=lambda: None)
        bench = made_bench()
        bench.torch.cuda = cuda
        given = types.SimpleNamespace(numel=lambda: 30, element_size=lambda: 2)
        task = types.SimpleNamespace(given=given, parameters=100, trains=False, graphs={"torch_tuned": launches_torch.Captured(
            None, None, 700, None)})
        self.assertEqual(bench.peak_bytes(lambda: None, task, "torch_tuned"), 2500 + 60 + 200)
        self.assertEqual(bench.peak_bytes(lambda: None, task, "torch_published"), 2500 + 60 + 400)
        self.assertEqual(bench.peak_bytes(lambda: None, task, "torch_tuned_graph"), 700 + 60 + 200)
        task.given = {"x": given, "cells": given}
        self.assertEqual(bench.peak_bytes(lambda: None, task, "torch_tuned"), 2500 + 120 + 200)
        task.trains, task.out_gradient = True, given
        self.assertEqual(bench.peak_bytes(lambda: None, task, "torch_tuned"), 2500 + 180 + 200)

    def test_the_peak_of_a_graph_is_that_of_its_capture(self):
        def at(bytes_taken):
            allocated.append(bytes_taken)
        allocated = [5000]
        cuda = types.SimpleNamespace(reset_peak_memory_stats=lambda: allocated.__setitem__(slice(None), allocated[-1:]),
                                     memory_allocated=lambda: allocated[-1], max_memory_allocated=lambda: max(allocated),
                                     synchronize=lambda: None)
        at(9000)
        at(6000)
        most, outputs = launches_torch.peak_bytes(types.SimpleNamespace(cuda=cuda), lambda: (at(7500), at(6100), "out")[-1])
        self.assertEqual((most, outputs), (1500, "out"))

    def test_one_input_at_a_time_is_kept(self):
        bench, made = made_bench(), []
        replaced, backbone_tasks.task_of = backbone_tasks.task_of, lambda bench, operation, shape, axes: made.append(axes) or object()
        self.addCleanup(setattr, backbone_tasks, "task_of", replaced)
        first = [backbone.BackboneBench.task_of(bench, "backbone", backbone.shape_of(workload(host))) for host in ("absent", "graph")]
        self.assertIs(*first)
        backbone.BackboneBench.task_of(bench, "backbone", backbone.shape_of(workload(window="1024")))
        self.assertEqual((len(made), len(bench.tasks)), (2, 1))

    def test_what_waits_is_profiled_behind_all_timing(self):
        measured = self.measure("torch_published", host="published")
        self.assertNotIn("launches", measured["figures"])
        found = types.SimpleNamespace(all={"measurements": [measured, self.measure("torch_graph")]})
        self.bench.finish(found, 7)
        self.assertEqual((measured["figures"]["launches"], measured["figures"]["host_waits"]), (1000, 44))
        self.assertEqual(measured["figures"]["of"], {"out": 1.0, "seed": 7})
        launches_torch.profiled = None
        self.bench.finish(found, 7)

    def test_what_cannot_be_counted_is_null_and_the_time_stands(self):
        def refused(graph):
            raise RuntimeError("the nodes of a CUDA graph cannot be had")
        launches_torch.of_graph = refused
        with contextlib.redirect_stderr(io.StringIO()) as said:
            measured = self.measure("torch_graph")
        self.assertIn("the nodes of a CUDA graph cannot be had", said.getvalue())
        self.assertEqual((measured["status"], measured["figures"]["launches"]), ("ok", None))

    def test_what_is_off_or_no_number_shows_no_time(self):
        measured = self.measure("torch_compiled", given=2.0)
        self.assertEqual((measured["status"], measured["reason"]),
                         ("wrong", "before timing: off by 1.00e+00 of the norm; no longer as it was given: x"))
        self.assertEqual(self.measure("torch_compiled", given=float("nan"))["status"], "wrong")

    def test_what_is_wrong_in_a_graph_says_whether_it_is_right_without(self):
        self.assertEqual(self.measure("torch_tuned_graph", spoiled=3.0)["reason"],
                         "before timing: off by 1.00e+00 of the norm; what is given is as it was; without its graph it is right")
        self.assertEqual(self.measure("torch_graph", given=2.0)["reason"],
                         "before timing: off by 1.00e+00 of the norm; no longer as it was given: x; "
                         "without its graph it is wrong, too: off by 1.00e+00 of the norm")

    def test_an_error_on_the_way_to_what_is_wrong_hides_nothing(self):
        def lost(task):
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
        with unittest.mock.patch.object(MadeTask, "altered", lost):
            measured = self.measure("torch_tuned", given=2.0)
        self.assertEqual((measured["status"], measured["reason"]),
                         ("wrong", "before timing: off by 1.00e+00 of the norm; why cannot be told: CUDA error: an illegal "
                          "memory access was encountered"))

    def test_a_graph_that_does_nothing_is_wrong_behind_timing(self):
        self.bench.poison = lambda outputs: outputs.update(out=float("nan"))
        for variant in ("torch_tuned_graph", "torch_graph"):
            measured = self.measure(variant)
            self.assertEqual(measured["status"], "wrong")
            self.assertRegex(measured["reason"], "^after timing: .*; without its graph it is right$")
        for variant in ("torch_tuned", "torch_compiled"):
            self.assertEqual(self.measure(variant)["status"], "ok")

    def test_passes_are_made_before_a_launch_can_spoil_what_is_given(self):
        self.measure("torch_graph")
        self.assertTrue(self.task.was_prepared)

    def test_other_weights_are_wrong(self):
        def other(self, seed):
            raise pool_rows_torch.Wrong("encoder.0.0.qkv: other parameters than Ablate's")
        published, MadeTask.published = MadeTask.published, other
        self.addCleanup(setattr, MadeTask, "published", published)
        self.assertEqual(self.measure("torch_published", host="published")["status"], "wrong")


class Compiling(unittest.TestCase):
    def task(self, compile, seconds=60):
        task = backbone_tasks.Task.__new__(backbone_tasks.Task)
        self.asked = []

        def compiled(function, **how):
            self.asked.append(how)
            return compile
        torch = types.SimpleNamespace(_dynamo=types.SimpleNamespace(reset=lambda: None), compile=compiled,
                                      set_grad_enabled=lambda trains: contextlib.nullcontext())
        task.bench, task.trains = types.SimpleNamespace(torch=torch, compile_seconds=seconds), False
        task.compiled, task.not_compiled, task.graphs = None, None, {}
        task.given, task.compiled_by = 7, lambda compiled: compiled(None)
        return task

    def test_sizes_are_constants_and_one_graph_is_what_counts(self):
        launched = []
        task = self.task(launched.append)
        self.assertEqual((task.compiled_once(), task.compiled_once(), launched), (task.compiled, task.compiled, [7]))
        self.assertEqual(self.asked, [{"fullgraph": True, "dynamic": False, "options": backbone_tasks.COMPILED}])

    def test_what_cannot_be_compiled_is_tried_once(self):
        def fails(given):
            raise RuntimeError("Failed to find C compiler")
        task = self.task(fails)
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, "C compiler"):
                task.captured_once("torch_compiled", task.compiled_once)
        self.assertEqual(len(self.asked), 1)

    def test_what_takes_too_long_fails_even_where_errors_are_kept(self):
        def keeps_on(given):
            while True:
                try:
                    while True:
                        pass
                except Exception:
                    pass
        with self.assertRaisesRegex(TimeoutError, r"compiling .*0\.05 s"):
            self.task(keeps_on, 0.05).compiled_once()


class MadeCuda:
    """What capturing needs of torch.cuda."""

    CUDAGraph = staticmethod(lambda keep_graph: types.SimpleNamespace(instantiate=lambda: None, replay=lambda: None))
    graph = staticmethod(lambda graph, capture_error_mode: contextlib.nullcontext())
    Stream = current_stream = staticmethod(lambda: types.SimpleNamespace(wait_stream=lambda stream: None))
    stream = staticmethod(contextlib.nullcontext)
    synchronize = reset_peak_memory_stats = staticmethod(lambda: None)
    memory_allocated = max_memory_allocated = staticmethod(lambda: 0)


class Weights:
    """Of a form, which nobody else has."""

    def forward(self, given):
        return {"out": given}


class Capturing(unittest.TestCase):
    def setUp(self):
        self.task = backbone_tasks.Task.__new__(backbone_tasks.Task)
        self.task.trains, self.task.given, self.task.graphs = False, 7, {}
        self.task.bench = types.SimpleNamespace(torch=types.SimpleNamespace(
            cuda=MadeCuda(), set_grad_enabled=lambda trains: contextlib.nullcontext()))
        gc.disable()  # what goes must go by itself: a graph holds much memory
        self.addCleanup(gc.enable)

    def captured(self):
        weights = Weights()
        return self.task.captured_once("torch_tuned", lambda: weights.forward), weakref.ref(weights)

    def test_a_graph_keeps_what_it_reads_and_goes_with_it(self):
        captured, weights = self.captured()
        self.assertIs(self.task.captured_once("torch_tuned", None), captured)
        replay = captured.replay
        del captured
        self.task.graphs.clear()
        self.assertIsNotNone(weights())
        self.assertEqual(replay(), {"out": 7})
        del replay
        self.assertIsNone(weights())

    def test_a_task_that_nobody_holds_goes_with_its_graphs(self):
        _, weights = self.captured()
        self.assertIsNotNone(weights())
        del _
        self.task = None
        self.assertIsNone(weights())


class Launches(unittest.TestCase):
    def test_kernels_and_waits_of_a_profile_count(self):
        events = [("aten::add", False), ("cudaLaunchKernel", False), ("add_kernel", True), ("Memcpy DtoH (Device -> Pageable)", True),
                  ("cudaStreamSynchronize", False), ("Memset (Device)", True), ("sort_kernel", True),
                  ("cudaDeviceSynchronize", False)]
        self.assertEqual(launches_torch.counted(events), {"launches": 2, "host_waits": 1})
        with self.assertRaisesRegex(RuntimeError, "no kernel"):
            launches_torch.counted(events[:2])

    def test_kernels_of_a_graph_count(self):
        kinds = {0x7F0000000010: 0, 0x7F0000000020: 2, 0x7F0000000030: 0}

        class Driver:
            @staticmethod
            def cuGraphGetNodes(handle, nodes, count):
                assert handle.value == 0x7F0000000100
                if nodes is None:
                    count._obj.value = len(kinds)
                else:
                    nodes[:] = list(kinds)
                return 0

            @staticmethod
            def cuGraphNodeGetType(node, kind):
                kind._obj.value = kinds[node.value]
                return 0
        graph = types.SimpleNamespace(raw_cuda_graph=lambda: 0x7F0000000100)
        self.assertEqual(launches_torch.kernels_of(graph, Driver), 2)
        self.assertEqual(ctypes.sizeof(ctypes.c_void_p), 8)


class Inputs(unittest.TestCase):
    def test_an_input_is_found_whatever_the_host_does_and_so_are_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            root, axes = pathlib.Path(folder), workload()["axes"]
            (root / "inputs.json").write_text(json.dumps({"inputs": [
                {"operation": "backbone", "axes": axes, "input": {"hash": "00000000000000aa"},
                 "buffers": {"coordinates": "0/coordinates.npy"}, "outputs": {"out": "0/out.npy"}}]}))
            inputs = backbone.written_inputs.WrittenInputs(root)
            shape = backbone.shape_of(workload("graph"))
            inference = {"pass": "inference"}
            found = inputs.find("backbone", backbone.axes_of(shape), shape["hash"], inference)
            self.assertEqual(found, ({"coordinates": root / "0/coordinates.npy"}, {"out": root / "0/out.npy"}))
            with self.assertRaisesRegex(bench_torch.Wrong, "ablate dev inputs"):
                inputs.find("backbone", {**backbone.axes_of(shape), "pass": "training"}, shape["hash"], inference)
            with self.assertRaisesRegex(bench_torch.Wrong, "ablate dev inputs"):
                inputs.find("backbone", backbone.axes_of(backbone.shape_of(workload(window="1024"))), shape["hash"], inference)

    def test_inputs_are_needed_for_measuring(self):
        with self.assertRaisesRegex(rival_record.BadRecord, "--inputs"):
            backbone.main(["record.json"])


if __name__ == "__main__":
    unittest.main()
