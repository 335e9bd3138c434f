"""scripts/rivals/training_free_torch.py on a CPU: each form is right by the check that it is held to on a GPU, which notices what
it leaves out."""
import inspect
import pathlib
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/rivals"))

try:
    import torch
    import torch.nn.attention.flex_attention
except ImportError:
    from lacks import lacks

    lacks("torch", "PyTorch with flex_attention is not installed")

import gated_attention_torch as gated  # noqa: E402
import sampled_rows_torch  # noqa: E402
import training_free_torch as free  # noqa: E402

IMAGES, SEED = 8, 1
FORMS = {"torch_kept_masked": free.Form("masked", False), "torch_kept_flex": free.Form("flex", False)}


def in_fp32(a, b, out_dtype=None, plain=torch.bmm):
    """A CPU's product of bf16 cannot be had in fp32."""
    return plain(a.to(out_dtype), b.to(out_dtype)) if out_dtype else plain(a, b)


def as_on_a_gpu(attend):
    """Attention whose scores and sums are fp32, which a CPU's are not."""
    def attended(q, k, v, **how):
        return attend(q.float(), k.float(), v.float(), **how).to(v.dtype)
    return attended


def by_blocks(q, k, v, score_mod, block_mask, kernel_options):
    """flex_attention, which takes blocks for a mask only where it is compiled. Blocks of keys that are not attended to are left
    out; those that a mask tells are none."""
    scores = q.float() @ k.float().transpose(-1, -2) / q.shape[-1] ** 0.5
    if score_mod is not None:
        head, query, key = torch.meshgrid(*(torch.arange(of) for of in scores.shape[1:]), indexing="ij")
        scores = score_mod(scores, 0, head, query, key)
    kept = block_mask.to_dense().bool().repeat_interleave(free.QUERY_BLOCK, 2).repeat_interleave(free.KEY_BLOCK, 3)
    return (scores.masked_fill(~kept, -torch.inf).softmax(-1) @ v.float()).to(v.dtype)


def made_by_any_pytorch(from_kv_blocks):
    """Which queries attend to a key is always found by one before 2.7."""
    if "compute_q_blocks" in inspect.signature(from_kv_blocks).parameters:
        return from_kv_blocks
    return lambda *lists, compute_q_blocks, **how: from_kv_blocks(*lists, **how)


def operation_of(method, is_trained):
    operations = gated.TRAINED if is_trained else gated.FORWARD
    return next(operation for operation in operations if gated.METHODS[operation] == method)


def shape_of(method, images=IMAGES, region=None, **axes):
    axes = {"images": str(images), "heads": "1", "block": "16", "scores": "scene", "lists": "chosen", **axes}
    if region is not None:
        axes["region"] = region
    return gated.shape_of({"operation": operation_of(method, region is not None), "axes": axes})


class OnCpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench = gated.GatedBench.__new__(gated.GatedBench)
        cls.bench.torch, cls.bench.device = torch, "cpu"
        cls.bench.made = None
        torch.cuda.empty_cache = lambda: None
        flex = torch.nn.attention.flex_attention
        for module, name, of in ((torch, "bmm", in_fp32),
                                 (flex.BlockMask, "from_kv_blocks", made_by_any_pytorch(flex.BlockMask.from_kv_blocks)), (flex, "flex_attention", by_blocks),
                                 (torch.nn.functional, "scaled_dot_product_attention",
                                  as_on_a_gpu(torch.nn.functional.scaled_dot_product_attention))):
            cls.addClassCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, of)
        cls.addClassCleanup(setattr, gated, "RIVALS", gated.RIVALS)
        gated.RIVALS = {name: {**rival, **({"form": FORMS[name]} if name in FORMS else {})} for name, rival in gated.RIVALS.items()}

    def prepared(self, variant, shape):
        operation = operation_of(shape["method"], "region" in shape)
        launch, check = self.bench.prepare(operation, variant, shape, SEED)
        return launch(), lambda outputs: check(outputs, "before")

    def expect_right(self, variant, shape, faults=()):
        """`faults`: of outputs; each is noticed."""
        outputs, check = self.prepared(variant, shape)
        error = check(outputs)
        for fault in faults:
            with self.assertRaises(gated.bench_torch.Wrong, msg=fault):
                check(fault(list(outputs)))
        return error


class Kept(OnCpu):
    def test_both_ways_attend_to_the_same(self):
        for variant in FORMS:
            self.expect_right(variant, shape_of("block_sparse"), [lambda of: [of[0].flip(1), *of[1:]],
                                                                  lambda of: [of[0], of[1].flip(2), of[2]]])

    def test_in_another_order_of_patches(self):
        shape = shape_of("block_sparse", order="hilbert", scores="plane", mass="0", kept="20")
        outputs, check = self.prepared("torch_kept_masked", shape)
        check(outputs)
        layer = free.BlockSparseLayer(torch, shape, FORMS["torch_kept_masked"], "cpu")
        with self.assertRaises(gated.bench_torch.Wrong):
            check([outputs[0].index_select(1, layer.to), *outputs[1:]])

    def test_of_int8(self):
        shape = shape_of("block_sparse", products="int8")
        outputs, check = self.prepared("torch_kept_flex", shape)
        check(outputs)
        *inputs, _ = self.bench.inputs(SEED, shape)
        # What bf16 leaves is further off than the check accepts.
        with self.assertRaises(sampled_rows_torch.Fault):
            sampled_rows_torch.kept_error(torch, shape, [10 * inputs[0], *inputs[1:]], *outputs)

    def test_numbers_of_int8_are_ablates(self):
        x = torch.zeros((1, 128, 64))
        x[0, 0, :4] = torch.tensor([127.0, -3.5, 2.5, 1e-3])
        numbers, scales = free.as_int8(torch, x, 64)
        self.assertEqual(numbers[0, 0, :4].tolist(), [127, -4, 2, 0])
        self.assertEqual((scales.tolist(), numbers[0, 64:].abs().max().item()), ([[1.0, 0.0]], 0))

    def test_trained(self):
        for variant, region in zip(FORMS, ("backward", "both")):
            self.expect_right(variant, shape_of("block_sparse", region=region),
                              [lambda of: [of[0], of[1].flip(1), *of[2:]], lambda of: [*of[:3], of[3] * 1.1, *of[4:]]])


class Merged(OnCpu):
    def test_by_the_mean_of_heads(self):
        for metric in ("channels", "mean_of_heads"):
            self.expect_right("torch_merged", shape_of("merged", images=2, heads="2", metric=metric),
                              [lambda of: [of[0], of[1].flip(0)], lambda of: [of[0].flip(1), of[1]]])

    def test_rows_of_the_metric_are_ablates(self):
        layer = types.SimpleNamespace(torch=torch, shape={"metric": "mean_of_heads"})
        x = torch.zeros((2, 128)).bfloat16()
        x[0, 3], x[0, 64 + 3], x[0, 5] = 1, 2, 4
        rows = free.MergedLayer.metric_rows(layer, x)
        self.assertEqual(rows[0, [3, 5]].tolist(), torch.tensor([0.6, 0.8]).bfloat16().tolist())
        self.assertEqual(rows[1].abs().max().item(), 0)


class Pooled(OnCpu):
    def test_all_attend_to_means(self):
        for block in ("16", "64"):
            self.expect_right("torch_pooled_keys", shape_of("pooled_keys", images=4, block=block), [lambda of: [of[0].flip(1)]])


if __name__ == "__main__":
    unittest.main()
