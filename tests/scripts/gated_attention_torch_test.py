"""scripts/rivals/gated_attention_torch.py: which workloads its rivals get, in which parts, and on which inputs."""
import contextlib
import pathlib
import struct
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

import attention_torch  # noqa: E402
import gated_attention_torch as gated  # noqa: E402
import sampled_rows_torch  # noqa: E402
import sparse_layer_torch  # noqa: E402
import trained_layer_torch  # noqa: E402
import training_free_torch as free  # noqa: E402

GATHERED, FLEX = (gated.RIVALS[variant]["form"] for variant in ("torch_eager", "torch_flex"))


def operation_of(method, operations):
    return next(operation for operation in operations if gated.METHODS[operation] == method)


def workload(images=32, method="sparse", queries=None, **axes):
    axes = {"images": str(images), "heads": "16", "block": "16", "selected": "32", "lists": "chosen",
            "rows": "all", "scores": "scene", **axes}
    operation = operation_of(method, gated.FORWARD)
    name = "/".join([operation, "threshold", *(f"{axis}={value}" for axis, value in axes.items()), "@cold-clean"])
    return {"operation": operation, "name": name, "axes": axes,
            "input": {"attending_rows": 16 * (queries or 1008 * images)}}


def fp32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def bf16_bits(x):
    bits = struct.unpack("I", struct.pack("f", x))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


class Inputs(unittest.TestCase):
    def test_the_scene_is_ablates(self):
        """Bits that made_bits of oracles/global_attention/made_inputs.h gives: 3 images, 2 heads, seed 7."""
        tokens, unit = 3 * 1008, fp32(1 / (64 * fp32(attention_torch.DEVIATION_OF_SUM)))
        for (of, head, token, element), bits in (
                ((0, 0, 0, 0), 0x3E97), ((1, 0, 0, 0), 0x3F0A), ((0, 1, 3023, 63), 0x3EC2),
                ((1, 1, 1008, 5), 0xBEB3), ((0, 0, 2015, 17), 0xBF2C), ((1, 1, 0, 32), 0x3EFC)):
            whole = gated.scene_values((head * tokens + token) * 64 + element, of, 7, tokens)
            self.assertEqual(bf16_bits(fp32(fp32(whole) * unit)), bits)

    def test_the_plane_is_ablates(self):
        tokens, unit = 3 * 1008, fp32(1 / (64 * fp32(attention_torch.DEVIATION_OF_SUM)))
        for (of, head, token, element), bits in (
                ((0, 0, 0, 0), 0x3F2A), ((1, 0, 0, 0), 0x3EDC), ((0, 1, 3023, 63), 0x3F29),
                ((1, 1, 1008, 5), 0xC008), ((0, 0, 2015, 17), 0x3FD2), ((1, 1, 500, 32), 0xBF04)):
            whole = gated.plane_values((head * tokens + token) * 64 + element, of, 7, tokens)
            self.assertEqual(bf16_bits(fp32(fp32(whole) * unit)), bits)

    def test_orders_of_patches_are_ablates(self):
        """As patches_in_order of kernels/block_sparse_attention/patch_order.h has them."""
        for order, patches, check in (("rows", [1, 17, 65, 1007], 339760680), ("hilbert", [1, 12, 20, 131], 312225096)):
            found = free.patches_in_order(order)
            self.assertEqual([found[place] for place in (1, 5, 17, 1007)], patches)
            self.assertEqual(sum(place * patch for place, patch in enumerate(found)), check)
            self.assertEqual(sorted(found), list(range(1008)))

    def test_what_is_matched_is_ablates(self):
        """Bits that made_x of oracles/token_merging/made_inputs.h gives: 3 images, 2 heads, seed 7."""
        unit = fp32(1 / fp32(5 * fp32(attention_torch.DEVIATION_OF_SUM)))
        for (token, channel), bits in (((0, 0), 0xBF18), ((0, 127), 0x3E9B), ((1008, 5), 0xBF1C), ((2015, 64), 0x3F00),
                                       ((3023, 127), 0xBF7E), ((1500, 33), 0x3F0E)):
            whole = free.look_of_place(token * 128 + channel, 7, 128)
            self.assertEqual(bf16_bits(fp32(fp32(whole) * unit)), bits)

    def test_the_partition_is_ablates(self):
        """As kernels/token_merging/partition.h cuts the same 3 images."""
        destinations = [token for token in range(3024) if free.is_destination(token, 7)]
        self.assertEqual((len(destinations), sum(destinations)), (1512, 1523715))
        self.assertEqual(destinations[1008:1014], [1010, 1014, 1016, 1020, 1029, 1044])
        stays = [token for token in range(3024) if free.is_protected(token, 3024)]
        self.assertEqual((len(stays), sum(stays)), (302, 454510))

    def test_rivals_of_a_shape_share_them(self):
        bench = gated.GatedBench.__new__(gated.GatedBench)
        bench.torch = types.SimpleNamespace(cuda=types.SimpleNamespace(empty_cache=lambda: None))
        made = []
        bench.made_inputs = lambda seed, shape: made.append(shape["tokens"]) or len(made)
        shapes = [gated.shape_of(workload(images, method)) for images in (32, 64) for method in ("sparse", "dense")]
        self.assertEqual([bench.inputs(1, shape) for shape in shapes], [1, 1, 2, 2])
        self.assertEqual(made, [32 * 1008, 64 * 1008])


class Shapes(unittest.TestCase):
    def test_a_shape_says_what_decides_a_time(self):
        self.assertEqual(gated.shape_of(workload()),
                         {"method": "sparse", "scores": "scene", "tokens": 32256, "heads": 16, "block": 16, "rows": 2016,
                          "selected": 32})
        dense = gated.shape_of(workload(method="dense"))
        self.assertEqual(dense, {"method": "dense", "scores": "scene", "tokens": 32256, "heads": 16, "queries": 32256})
        self.assertEqual(gated.shape_of(workload(method="dense", block="64", selected="8")), dense)
        self.assertEqual(gated.shape_of(workload(method="dense", queries=1024))["queries"], 1024)

    def test_what_needs_no_training_has_shapes_of_its_own(self):
        kept = gated.shape_of(workload(method="block_sparse"))
        self.assertEqual(kept, {"method": "block_sparse", "scores": "scene", "tokens": 32256, "heads": 16, "mass": 70,
                                "kept": 50})
        self.assertEqual(gated.shape_of(workload(method="block_sparse", mass="50", kept="20", block="32")),
                         {**kept, "mass": 50, "kept": 20})
        merged = gated.shape_of(workload(method="merged"))
        self.assertEqual(merged["protected"], "twice")
        self.assertNotEqual(gated.shape_of(workload(method="merged", protected="once")), merged)

    def test_forms_have_shapes_of_their_own_where_they_say_more(self):
        kept, merged = gated.shape_of(workload(method="block_sparse")), gated.shape_of(workload(method="merged"))
        of = {"order": "natural", "products": "bf16", "metric": "channels"}
        self.assertEqual(gated.shape_of(workload(method="block_sparse", **of)), kept)
        for axes in ({"order": "hilbert"}, {"products": "int8"}):
            self.assertEqual(gated.shape_of(workload(method="block_sparse", **{**of, **axes})), {**kept, **axes})
        metric = {"metric": "mean_of_heads"}
        self.assertEqual(gated.shape_of(workload(method="merged", **{**of, **metric})), {**merged, **metric})
        pooled = gated.shape_of(workload(method="pooled_keys", block="64"))
        self.assertEqual(pooled, {"method": "pooled_keys", "scores": "scene", "tokens": 32256, "heads": 16, "block": 64})
        self.assertEqual(gated.CONTEST.rivals_of(pooled), ["torch_pooled_keys", "torch_pooled_keys_compiled"])

    def test_a_mask_has_no_scales_of_blocks(self):
        of_int8 = gated.shape_of(workload(method="block_sparse", products="int8"))
        self.assertEqual(gated.CONTEST.rivals_of(of_int8), ["torch_kept_flex"])

    def test_masks_of_long_sequences_and_cut_blocks_get_no_rival(self):
        def rivals(images, method):
            return gated.CONTEST.rivals_of(gated.shape_of(workload(images, method)))
        self.assertEqual(rivals(128, "block_sparse"), ["torch_kept_masked", "torch_kept_flex"])
        self.assertEqual(rivals(256, "block_sparse"), ["torch_kept_flex"])
        self.assertEqual(rivals(5, "block_sparse"), [])
        self.assertEqual(rivals(1024, "merged"), ["torch_merged", "torch_merged_compiled"])

    def test_rivals_compete_by_method_and_small_shapes_come_first(self):
        shapes = gated.CONTEST.shapes_of([workload(64), workload(32, "dense"), workload(32)])
        self.assertEqual([(shape["tokens"] // 1008, shape["method"]) for _, shape in shapes],
                         [(32, "dense"), (32, "sparse"), (64, "sparse")])
        self.assertEqual([gated.CONTEST.rivals_of(shape) for _, shape in shapes[:2]],
                         [["cudnn", "flash_attention_2"], ["torch_eager", "torch_compiled", "torch_flex"]])

    def test_what_is_there_for_checks_or_has_its_lists_is_left_out(self):
        for axes in ({"scores": "unit"}, {"scores": "plane", "order": "hilbert"}, {"products": "int8"}, {"metric": "mean_of_heads"}):
            self.assertTrue(gated.is_for_rivals(workload(**axes)), axes)
        self.assertFalse(gated.is_for_rivals(workload(method="pooled_keys", region="ahead")))
        older = workload()
        older["axes"]["method"] = "dense"
        self.assertFalse(gated.is_for_rivals(older), "of a program that had one operation for all methods")
        for axes in ({"scores": "ascending"}, {"scores": "integers"}, {"lists": "given"},
                     {"first_frame": "forced"}, {"geometry": "vggt"}):
            self.assertFalse(gated.is_for_rivals(workload(**axes)), axes)

    def test_workloads_can_be_limited(self):
        contest = gated.limited(128)
        self.assertEqual([bool(contest.is_for_rivals(workload(images))) for images in (32, 128, 256)], [True, True, False])
        self.assertFalse(contest.is_for_rivals(workload(scores="equal")))
        self.assertTrue(gated.limited(None).is_for_rivals(workload(2048, block="32")))


class Parts(unittest.TestCase):
    def test_long_dense_attention_is_done_in_part(self):
        for images, share in ((32, 1), (128, 1), (512, 1 / 8), (1024, 1 / 32)):
            shape = gated.shape_of(workload(images, "dense"))
            self.assertEqual(gated.share_of_queries(shape), share)
            # Four waves of tiles of 128 queries at least.
            self.assertGreaterEqual(16 * share * shape["queries"] / 128, 4 * 132)
        part = gated.shape_of(workload(1024, "dense", queries=32256))
        self.assertEqual(gated.share_of_queries(part), 1)

    def test_a_part_of_the_queries_is_launched(self):
        bench = gated.GatedBench.__new__(gated.GatedBench)
        seen = {}

        class Tensor:
            def __getitem__(self, index):
                seen["queries"] = index[1].stop if isinstance(index, tuple) else seen.get("queries")
                return self

            def contiguous(self):
                return self
        functional = types.SimpleNamespace(scaled_dot_product_attention=lambda q, k, v: [q])
        bench.torch = types.SimpleNamespace(nn=types.SimpleNamespace(functional=functional), no_grad=contextlib.nullcontext)
        bench.inputs = lambda seed, shape: (Tensor(), Tensor(), Tensor(), None)
        shape = gated.shape_of(workload(1024, "dense"))
        launch, _ = bench.prepare("gated_attention", "cudnn", shape, 1)
        self.assertEqual(len(launch()), 1)
        self.assertEqual(seen["queries"], 32256)
        self.assertEqual(bench.share_of_work("gated_attention", "cudnn", shape), 1 / 32)

    def test_chunks_are_equal_and_fit(self):
        for images, gathered in ((32, 1), (128, 1), (256, 2), (512, 8), (1024, 32)):
            shape = gated.shape_of(workload(images))
            self.assertEqual(sparse_layer_torch.chunks_of(shape, GATHERED), gathered)
            for form in (GATHERED, FLEX):
                chunks = sparse_layer_torch.chunks_of(shape, form)
                rows = shape["rows"] // chunks
                self.assertEqual(rows * chunks, shape["rows"])
                self.assertLess(16 * rows * shape["rows"], 1 << 31)
                self.assertLessEqual(rows * sparse_layer_torch.bytes_of_row(shape, form), 32 << 30)
        shape = gated.shape_of(workload())
        self.assertEqual(sparse_layer_torch.chunks_of(shape, GATHERED, most_bytes=1), 2016)
        five = 450 * sparse_layer_torch.bytes_of_row(shape, GATHERED)
        self.assertEqual(sparse_layer_torch.chunks_of(shape, GATHERED, most_bytes=five), 6, "5 do not divide 2016 rows")

    def test_kept_blocks_are_chosen_and_masked_in_parts(self):
        torch = types.SimpleNamespace()
        for images, heads, rows in ((32, 16, 63), (64, 16, 28), (128, 16, 16), (256, 16, 8), (512, 8, 4), (1024, 2, 2)):
            layer = free.BlockSparseLayer(torch, gated.shape_of(workload(images, "block_sparse")),
                                          free.Form("masked", compiles=False))
            self.assertEqual((layer.heads_at_once, layer.rows_at_once), (heads, rows), images)
            self.assertEqual(layer.queries % layer.rows_at_once, 0)
            self.assertLessEqual(16 * layer.rows_at_once * 128 * 1008 * images, free.BYTES_OF_MASK)
        self.assertEqual(free.at_once(7, 10, 1), 1, "one at least")

    def test_samples_have_the_first_and_the_last(self):
        for count in (1, 2, 31, 16 * 64512):
            places = sampled_rows_torch.places(count)
            self.assertEqual((places[0], places[-1]), (0, count - 1))
            self.assertLessEqual(len(places), sampled_rows_torch.SAMPLES)
        self.assertEqual(len(places), sampled_rows_torch.SAMPLES)
        self.assertEqual(len({place // 64512 for place in places}), 16, "of every head")


def trained(images=32, method="sparse", region="both", **axes):
    axes = {"images": str(images), "heads": "16", "block": "16", "selected": "32", "scores": "scene", "region": region, **axes}
    operation = operation_of(method, gated.TRAINED)
    return {"operation": operation, "name": f"{operation}/hopper/@cold-clean", "axes": axes,
            "input": {"attending_rows": 16 * 1008 * images}}


class Trained(unittest.TestCase):
    def test_a_shape_says_the_region_and_is_done_whole(self):
        shape = gated.shape_of(trained(64, "dense", "backward"))
        self.assertEqual(shape, {"method": "dense", "scores": "scene", "tokens": 64512, "heads": 16, "region": "backward",
                                 "queries": 64512})
        self.assertEqual(gated.share_of_queries(gated.shape_of(trained(1024, "dense"))), 1)
        self.assertEqual(gated.CONTEST.rivals_of(gated.shape_of(trained())), ["torch_eager", "torch_compiled", "torch_flex"])
        self.assertTrue(gated.is_for_rivals(trained()))
        self.assertFalse(gated.is_for_rivals(trained(scores="equal")))
        shapes = gated.CONTEST.shapes_of([workload(), trained(), trained(region="backward")])
        self.assertEqual([of for of, _ in shapes], ["gated_attention"] + 2 * ["gated_attention_backward"])

    def launched(self, is_backward_alone, times):
        """How often a layer ran forward, and what the last launch gave."""
        forwards, kept = [], []

        class Leaf:
            shape = (2,)

            def detach(self):
                return self

            def requires_grad_(self):
                return self

            def view(self, shape):
                return self

            def copy_(self, other):
                return self

        def forward(*leaves):
            forwards.append(leaves)
            return Leaf(), "lists"

        def grad(out, leaves, gradient, retain_graph):
            kept.append(retain_graph)
            return [f"gradient {i}" for i in range(len(leaves))]
        torch = types.SimpleNamespace(empty_like=lambda out: Leaf(), autograd=types.SimpleNamespace(grad=grad))
        layer = trained_layer_torch.TrainedLayer(torch, forward, [Leaf(), Leaf()], Leaf(), is_backward_alone)
        for _ in range(times):
            seen = layer()
        return len(forwards), kept, seen[1:]

    def test_a_launch_is_forward_and_backward_or_backward_alone(self):
        rest = ("gradient 0", "gradient 1", "lists")
        self.assertEqual(self.launched(False, 3), (4, [False] * 3, rest), "one tells the shape of the output")
        self.assertEqual(self.launched(True, 3), (1, [True] * 3, rest))

    def test_the_mask_of_a_trained_layer_tells_which_queries_attend_to_a_key(self):
        for shape, asked in ((gated.shape_of(workload()), False), (gated.shape_of(trained()), True)):
            seen, padded = {}, []

            def pad(lists, by):
                padded.append(by)
                return lists
            torch = types.SimpleNamespace(compile=lambda way, fullgraph: way, int32=None, full=lambda *_, **__: "whole",
                                          zeros_like=lambda of: of,
                                          nn=types.SimpleNamespace(functional=types.SimpleNamespace(pad=pad)))
            layer = sparse_layer_torch.SparseLayer.__new__(sparse_layer_torch.SparseLayer)
            layer.torch, layer.shape, layer.trains = torch, shape, "region" in shape
            layer.flex = types.SimpleNamespace(
                BlockMask=types.SimpleNamespace(from_kv_blocks=lambda *_, **options: seen.update(options)))

            class Lists:
                shape = (1, 16, 2016, 32)
                device = None

                def __getitem__(self, _):
                    return self

                def to(self, _):
                    return self
            layer.mask_of(Lists())
            self.assertEqual(seen["compute_q_blocks"], asked)
            self.assertEqual(padded, [(0, 2016 - 32)] if asked else [], "as wide as there are blocks")

    def test_a_gradient_that_is_off_is_a_fault(self):
        class Rows(list):
            def double(self):
                return self

            def norm(self):
                return types.SimpleNamespace(item=lambda: sum(x * x for x in self) ** 0.5)

            def __sub__(self, other):
                return Rows(a - b for a, b in zip(self, other))
        torch = types.SimpleNamespace(isfinite=lambda x: types.SimpleNamespace(
            all=lambda: types.SimpleNamespace(item=lambda: all(abs(of) < 1e30 for of in x))))
        exact = [Rows([3.0, 4.0]), Rows([0.0, 0.0])]
        names = ("dQ", "dK")
        self.assertAlmostEqual(trained_layer_torch.expect_near(torch, [Rows([3.0, 4.05]), Rows([0.0, 0.0])], exact, names, "h"),
                               0.01)
        for seen, what in ((Rows([3.0, 4.2]), "dQ is off by 4.00e-02"), (Rows([3.0, 1e31]), "dQ is no number")):
            with self.assertRaisesRegex(sampled_rows_torch.Fault, what):
                trained_layer_torch.expect_near(torch, [seen, exact[1]], exact, names, "head 3")
        with self.assertRaisesRegex(sampled_rows_torch.Fault, "dK is off"):
            trained_layer_torch.expect_near(torch, [exact[0], Rows([0.0, 0.1])], exact, names, "head 3")


class Verdicts(unittest.TestCase):
    def test_a_fault_is_recorded_as_wrong(self):
        bench = gated.GatedBench.__new__(gated.GatedBench)
        bench.torch = types.SimpleNamespace(no_grad=contextlib.nullcontext, OutOfMemoryError=MemoryError)
        bench.inputs = lambda seed, shape: (None,) * 4

        def error_of(outputs):
            raise sampled_rows_torch.Fault("head 3, block 5: off")
        bench.prepare_sparse = lambda shape, form, *inputs: (lambda: (1, 2), error_of)
        measured = bench.measure("gated_attention", "torch_eager", gated.shape_of(workload()), 1)
        self.assertEqual((measured["status"], measured["reason"]), ("wrong", "before timing: head 3, block 5: off"))

    def test_each_method_is_prepared_as_what_it_is(self):
        bench = gated.GatedBench.__new__(gated.GatedBench)
        bench.torch = types.SimpleNamespace(no_grad=contextlib.nullcontext)
        bench.inputs = lambda seed, shape: ("q", "k", "v", "gates")
        for method, inputs in (("block_sparse", ("q", "k", "v")), ("merged", (1, "q", "k", "v")),
                               ("sparse", ("q", "k", "v", "gates"))):
            seen = []
            setattr(bench, f"prepare_{method}",
                    lambda shape, form, *given, seen=seen: seen.append((shape["method"], given)) or (lambda: (3,), None))
            variant = next(name for name, rival in gated.RIVALS.items() if rival["method"] == method)
            launch, _ = bench.prepare("gated_attention", variant, gated.shape_of(workload(method=method)), 1)
            self.assertEqual(launch(), (3,))
            self.assertEqual(seen, [(method, inputs)])

    def test_without_a_compiler_the_rival_failed(self):
        bench = gated.GatedBench.__new__(gated.GatedBench)

        class InductorError(Exception):
            pass

        def compile(way, fullgraph):
            def compiled(*_):
                raise InductorError("backend='inductor' raised:\n  RuntimeError: Failed to find C compiler\n\nSet X")
            return compiled
        resets = []
        bench.torch = types.SimpleNamespace(
            compile=compile, no_grad=contextlib.nullcontext, OutOfMemoryError=MemoryError,
            _dynamo=types.SimpleNamespace(reset=lambda: resets.append(1)))
        bench.inputs = lambda seed, shape: (None,) * 4
        shape = gated.shape_of(workload())
        for _ in range(2):
            measured = bench.measure("gated_attention", "torch_compiled", shape, 1)
            self.assertEqual((measured["status"], measured["reason"]),
                             ("failed", "backend='inductor' raised: RuntimeError: Failed to find C compiler"))
        self.assertEqual(len(resets), 1, "what a shape compiled serves its other rivals and turns")


if __name__ == "__main__":
    unittest.main()
