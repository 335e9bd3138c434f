#!/usr/bin/env python3
"""Measures what PyTorch has for the workloads of layers of global attention in a record, and adds it to it as further variants:
`ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/gated_attention_quick.json --out out/gated_quick
  scripts/rivals/gated_attention_torch.py out/gated_quick --only block=16/selected=32/ --seconds 300 --keep rivals.json
  timeout 540 scripts/rivals/gated_attention_torch.py out/gated --only 'dense_attention/.*images=1024/' --rivals cudnn

The second call is a run of its own: what the record has of other workloads and rivals stays. Each measurement takes as many
samples at least as the record's own cases; where the script is stopped, the record gets what was measured until then.

With --trained the workloads of these layers trained instead: the same rivals, forward and backward by autograd in one
launch, or backward alone where that is the region (trained_layer_torch.py). Whole layers alone: what autograd keeps of long
ones does not fit, and is recorded so.

dense_attention: cuDNN's attention and FlashAttention-2. Where all queries would take more than MOST_DENSE_FLOPS, a launch
has the first part of them, with all keys; its time is stretched to the whole, and the record says so (quality,
share_of_work). gated_attention: the layer as it is written in PyTorch (sparse_layer_torch.py), eager, compiled, and with
flex_attention. Layers of kept blocks, of merged tokens and of pooled keys: the same (training_free_torch.py), the latter two
without flex_attention; a mask of tokens in its place only up to MOST_MASKED_TOKENS. Patches in another order, products of int8 and
matches by the mean of heads have rivals, too; with --trained also Block-Sparse attention. Each distinct shape is measured once, small ones first;
torch.compile compiles each separately, which --seconds counts.

The record must come from the same GPU (its UUID is compared), and should come from the same session. Inputs are Ablate's
own, element by element (oracles/global_attention/made_inputs.h). Timed as Ablate times `cold-clean` (bench_torch.py).
Before and after timing, sampled lists and rows of the output are held against plain fp32 arithmetic (sampled_rows_torch.py)
within the tolerance that Ablate has for its own variants; what differs is recorded as `wrong`, what cannot be compiled as
`failed`, and neither shows a time.
"""
import contextlib
import dataclasses
import importlib

import attention_torch
import bench_torch
import rival_contest
import sampled_rows_torch
import sparse_layer_torch
import trained_layer_torch
import training_free_torch

SCRIPT = "scripts/rivals/gated_attention_torch.py"
# What is attended to, by operation.
METHODS = {
    "gated_attention": "sparse",
    "dense_attention": "dense",
    "block_sparse_attention": "block_sparse",
    "merged_attention": "merged",
    "pooled_key_attention": "pooled_keys",
    "gated_attention_backward": "sparse",
    "dense_attention_backward": "dense",
    "block_sparse_attention_backward": "block_sparse",
}
TRAINED = tuple(operation for operation in METHODS if operation.endswith("_backward"))
FORWARD = tuple(operation for operation in METHODS if operation not in TRAINED)
RIVALS = {
    "cudnn": {
        "method": "dense",
        "backend": "CUDNN_ATTENTION",
        "description": "dense: cuDNN's attention through PyTorch; of long sequences a part of the queries, time stretched",
        "switches": {"core": "cudnn"},
    },
    "flash_attention_2": {
        "method": "dense",
        "backend": "FLASH_ATTENTION",
        "description": "dense: FlashAttention-2 through PyTorch; of long sequences a part of the queries, time stretched",
        "switches": {"core": "flash_attention_2"},
    },
    "torch_eager": {
        "method": "sparse",
        "form": sparse_layer_torch.Form("gathered", compiles=False),
        "description": "sparse, written in PyTorch: mean, topk, gather of key blocks, scaled_dot_product_attention",
        "switches": {"core": "torch", "keys": "gathered", "compiled": "no"},
    },
    "torch_compiled": {
        "method": "sparse",
        "form": sparse_layer_torch.Form("gathered", compiles=True),
        "description": "sparse, torch_eager by torch.compile",
        "switches": {"core": "torch", "keys": "gathered", "compiled": "yes"},
    },
    "torch_flex": {
        "method": "sparse",
        "form": sparse_layer_torch.Form("flex", compiles=True),
        "description": "sparse, torch_compiled with flex_attention, lists as block mask, in the place of the gather",
        "switches": {"core": "torch", "keys": "flex_attention", "compiled": "yes"},
    },
    "torch_kept_masked": {
        "method": "block_sparse",
        "form": training_free_torch.Form("masked", compiles=False),
        "description": "block_sparse, written in PyTorch: mean, softmax, sort, scaled_dot_product_attention with a mask",
        "switches": {"core": "torch", "keys": "masked", "compiled": "no"},
    },
    "torch_kept_flex": {
        "method": "block_sparse",
        "form": training_free_torch.Form("flex", compiles=True),
        "description": "block_sparse, torch_kept_masked compiled, with flex_attention, kept blocks as block mask",
        "switches": {"core": "torch", "keys": "flex_attention", "compiled": "yes"},
    },
    "torch_merged": {
        "method": "merged",
        "form": training_free_torch.Form("merged", compiles=False),
        "description": "merged, written in PyTorch: products of 5000 sources at a time, index_add, "
                       "scaled_dot_product_attention",
        "switches": {"core": "torch", "compiled": "no"},
    },
    "torch_merged_compiled": {
        "method": "merged",
        "form": training_free_torch.Form("merged", compiles=True),
        "description": "merged, torch_merged by torch.compile",
        "switches": {"core": "torch", "compiled": "yes"},
    },
    "torch_pooled_keys": {
        "method": "pooled_keys",
        "form": training_free_torch.Form("pooled", compiles=False),
        "description": "pooled_keys, written in PyTorch: means, scaled_dot_product_attention",
        "switches": {"core": "torch", "compiled": "no"},
    },
    "torch_pooled_keys_compiled": {
        "method": "pooled_keys",
        "form": training_free_torch.Form("pooled", compiles=True),
        "description": "pooled_keys, torch_pooled_keys by torch.compile",
        "switches": {"core": "torch", "compiled": "yes"},
    },
}
# What the README and the claims set against rivals.
OURS = {
    "gated_attention": ("published", "threshold", "hopper"),
    "dense_attention": ("mma", "hopper"),
    "block_sparse_attention": ("searched", "hopper_searched"),
    "merged_attention": ("chains", "hopper"),
    "pooled_key_attention": ("mma", "hopper"),
    "gated_attention_backward": ("published", "threshold", "hopper", "hopper_bulk"),
    "dense_attention_backward": ("mma", "hopper_bulk"),
    "block_sparse_attention_backward": ("mma", "hopper"),
}
TOKENS_OF_IMAGE, PATCH_BLOCK, STEP_OF_IMAGES, WIDTH = 1008, 16, 5, 64
NEW_COLUMNS, CELLS_OF_COLUMN = 3, 16  # of the plane
MOST_DENSE_FLOPS = 1.5e14
MOST_MASKED_TOKENS = 128 * TOKENS_OF_IMAGE  # a mask saves no product


def not_at_default(axes, **defaults):
    """Axes that say more than a record without them."""
    return {name: axes[name] for name, default in defaults.items() if axes.get(name, default) != default}


def shape_of(workload):
    axes, method = workload["axes"], METHODS[workload["operation"]]
    tokens, heads = TOKENS_OF_IMAGE * int(axes["images"]), int(axes["heads"])
    shape = {"method": method, "scores": axes["scores"], "tokens": tokens, "heads": heads}
    if workload["operation"] in TRAINED:
        shape["region"] = axes["region"]
    if method == "dense":
        return {**shape, "queries": int(workload["input"]["attending_rows"]) // heads}
    if method == "block_sparse":
        return {**shape, "mass": int(axes.get("mass", 70)), "kept": int(axes.get("kept", 50)),
                **not_at_default(axes, order="natural", products="bf16")}
    if method == "merged":
        return {**shape, "protected": axes.get("protected", "twice"), **not_at_default(axes, metric="channels")}
    block = int(axes["block"])
    if method == "pooled_keys":
        return {**shape, "block": block}
    return {**shape, "block": block, "rows": tokens // block, "selected": int(axes["selected"])}


def is_for_rivals(workload):
    """Not those with numbers for a check's sake, with lists that are there already, that rivals have no form of, or of a
    program that had one operation for all methods."""
    axes = workload["axes"]
    if "method" in axes:
        return False
    is_plain = axes.get("first_frame", "competes") == "competes" and axes.get("geometry", "s3r") == "s3r" and \
        axes.get("region") != "ahead"
    return axes["scores"] in ("scene", "plane", "unit") and axes.get("lists", "chosen") == "chosen" and is_plain


def competes(variant, shape):
    if RIVALS[variant]["method"] != shape["method"]:
        return False
    if variant == "torch_kept_masked" and (shape["tokens"] > MOST_MASKED_TOKENS or "products" in shape):
        return False
    return shape["method"] != "block_sparse" or shape["tokens"] % training_free_torch.QUERY_BLOCK == 0


def share_of_queries(shape):
    """1, or the greatest 1 / 2^n of the queries whose dense attention stays within MOST_DENSE_FLOPS; of a trained layer 1."""
    share = 1
    if "region" in shape:
        return share
    while 4 * WIDTH * shape["heads"] * shape["tokens"] * share * shape["queries"] > MOST_DENSE_FLOPS:
        share /= 2
    return share


def scene_values(i, of, seed, tokens):
    """Element i of Ablate's q (0) or k (1) of the scene, as a whole number of 1 / (64 · DEVIATION_OF_SUM); of an integer
    or of a tensor of them."""
    def integer(seed, index):
        x = bench_torch.mixed(index + bench_torch.signed(seed * bench_torch.STREAM_STEP))
        return (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF

    element, token, head = i % WIDTH, i // WIDTH % tokens, i // WIDTH // tokens
    place = token // TOKENS_OF_IMAGE * STEP_OF_IMAGES + token % TOKENS_OF_IMAGE // PATCH_BLOCK

    def at(place):
        return (head << 40) + place * WIDTH + element

    look = sum(integer(seed * 8, at(place + near)) for near in range(4))
    detail = integer(seed * 8 + 1, at(place * PATCH_BLOCK + token % PATCH_BLOCK))
    return 22 * look + 26 * detail + 38 * integer(seed * 8 + 2 + of, i)


def plane_values(i, of, seed, tokens):
    """The same for the plane."""
    def integer(what, index):
        x = bench_torch.mixed(index + bench_torch.signed((seed * 8 + 4 + what) * bench_torch.STREAM_STEP))
        return (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF

    element, token, head = i % WIDTH, i // WIDTH % tokens, i // WIDTH // tokens
    x, y = training_free_torch.patch_position(token % TOKENS_OF_IMAGE)
    x = x + token // TOKENS_OF_IMAGE * NEW_COLUMNS

    def at(place):
        return (head << 40) + place * WIDTH + element

    look = sum(integer(0, at((x // 4 + near % 2) * CELLS_OF_COLUMN + y // 4 + near // 2)) for near in range(4))
    return 22 * look + 26 * integer(1, at(x * 4 * CELLS_OF_COLUMN + y)) + 38 * integer(2 + of, i)


VALUES = {"scene": scene_values, "plane": plane_values}


class GatedBench(attention_torch.AttentionBench):
    made_for = compiled_for = None

    def made_scene(self, seed, of, shape):
        torch = self.torch
        parts = torch.tensor(64 * attention_torch.DEVIATION_OF_SUM, dtype=torch.float32)
        unit = (torch.tensor(1, dtype=torch.float32) / parts).to(self.device)
        return self.filled((shape["heads"], shape["tokens"], WIDTH), torch.bfloat16,
                           lambda i: VALUES[shape["scores"]](i, of, seed, shape["tokens"]).to(torch.float32) * unit)

    def made_inputs(self, seed, shape):
        """q, k and v, [heads][tokens][64], and gates, [tokens][heads][2]."""
        torch = self.torch
        in_memory = (shape["heads"], shape["tokens"], WIDTH)
        q, k = (self.made_scene(seed, of, shape) if shape["scores"] in VALUES else self.made_elements(seed, of, in_memory, 1.0)
                for of in (0, 1))
        v = self.made_elements(seed, 2, in_memory, 1.0)

        def gate(i):
            drawn = bench_torch.mixed(i + bench_torch.signed(seed * 5)) >> 44 & 0xFFFFF
            return (drawn.to(torch.float32) + 0.5) * 2.0 ** -20
        return q, k, v, self.filled((shape["tokens"], shape["heads"], 2), torch.float32, gate)

    def inputs(self, seed, shape):
        """The same for all rivals of a shape."""
        key = (seed, tuple(sorted((name, shape[name]) for name in ("scores", "tokens", "heads"))))
        if self.made_for != key:
            self.made_for = self.made = None
            self.torch.cuda.empty_cache()
            self.made, self.made_for = self.made_inputs(seed, shape), key
        return self.made

    def share_of_work(self, operation, variant, shape):
        return share_of_queries(shape) if shape["method"] == "dense" else 1

    def backend(self, variant):
        return super().backend(variant) if "backend" in RIVALS[variant] else contextlib.nullcontext()

    def prepare_dense(self, shape, q, k, v):
        attend = self.torch.nn.functional.scaled_dot_product_attention
        q = q[:, :int(shape["queries"] * share_of_queries(shape))].contiguous()
        return lambda: (attend(q[None], k[None], v[None])[0],), \
            lambda outputs: sampled_rows_torch.dense_error(self.torch, (q, k, v), *outputs)

    def prepare_sparse(self, shape, form, *inputs):
        layer = self.sparse_layer(shape, form)
        return lambda: layer(*inputs), \
            lambda outputs: sampled_rows_torch.sparse_error(self.torch, shape, inputs, *outputs)

    def made_x(self, seed, shape):
        """[tokens][channels]: oracles/token_merging/made_inputs.h."""
        torch, channels = self.torch, shape["heads"] * WIDTH
        in_memory = (shape["tokens"], channels)
        if shape["scores"] != "scene":
            return self.made_elements(seed, 0, in_memory, 1.0)
        five = torch.tensor(5, dtype=torch.float32) * torch.tensor(attention_torch.DEVIATION_OF_SUM, dtype=torch.float32)
        unit = (torch.tensor(1, dtype=torch.float32) / five).to(self.device)
        return self.filled(in_memory, torch.bfloat16,
                           lambda i: training_free_torch.look_of_place(i, seed, channels).to(torch.float32) * unit)

    def compile_anew(self, shape, form):
        if form.compiles and shape.get("region") == "backward":
            # A graph that is kept for the next launch has to keep its buffers.
            importlib.import_module("torch._functorch.config").donated_buffer = False
        if form.compiles and self.compiled_for != shape:
            self.torch._dynamo.reset()  # each shape for itself: sizes stay constants
            self.compiled_for = shape

    def sparse_layer(self, shape, form):
        self.compile_anew(shape, form)
        return sparse_layer_torch.SparseLayer(self.torch, shape, form)

    def prepare_block_sparse(self, shape, form, *inputs):
        self.compile_anew(shape, form)
        layer = training_free_torch.BlockSparseLayer(self.torch, shape, form, self.device)
        return lambda: layer(*inputs), lambda outputs: self.kept_error(shape, layer, inputs, *outputs)

    def kept_error(self, shape, layer, inputs, out, *kept):
        """In the order of blocks, and of numbers of int8 where these are multiplied."""
        torch, multiplied = self.torch, None
        if layer.to is not None:
            *inputs, out = (x.index_select(1, layer.to) for x in (*inputs, out))
        if layer.multiplies_int8:
            multiplied = [(numbers.view(*scales.shape, -1) * scales[..., None]).view(numbers.shape)
                          for numbers, scales in training_free_torch.quantized(torch, *inputs[:2])]
        return sampled_rows_torch.kept_error(torch, shape, inputs, out, *kept, multiplied=multiplied)

    def prepare_pooled_keys(self, shape, form, q, k, v):
        self.compile_anew(shape, form)
        layer = training_free_torch.PooledKeysLayer(self.torch, shape, form)
        return lambda: layer(q, k, v), \
            lambda outputs: sampled_rows_torch.dense_error(self.torch, (q, layer.pooled(k), layer.pooled(v)), *outputs)

    def prepare_merged(self, shape, form, seed, *inputs):
        self.compile_anew(shape, form)
        layer = training_free_torch.MergedLayer(self.torch, shape, form, seed, self.device)
        inputs = (*inputs, self.made_x(seed, shape))
        return lambda: layer(*inputs), lambda outputs: sampled_rows_torch.merged_error(self.torch, inputs, layer, *outputs)

    def prepare_trained(self, variant, shape, seed):
        torch, (*inputs, gates) = self.torch, self.inputs(seed, shape)
        gradient = self.made_elements(seed, 3, (shape["heads"], shape["tokens"], WIDTH), 1.0)
        is_backward_alone = shape["region"] == "backward"
        if shape["method"] == "dense":
            def attend(q, k, v):
                return (torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None]),)
            return trained_layer_torch.TrainedLayer(torch, attend, inputs, gradient, is_backward_alone), \
                lambda outputs: trained_layer_torch.dense_error(torch, inputs, gradient, outputs)
        form = RIVALS[variant]["form"]
        if shape["method"] == "block_sparse":
            self.compile_anew(shape, form)
            layer = training_free_torch.BlockSparseLayer(torch, shape, form, self.device)
            return trained_layer_torch.TrainedLayer(torch, layer, inputs, gradient, is_backward_alone), \
                lambda outputs: trained_layer_torch.kept_error(torch, shape, inputs, layer, gradient, outputs)
        layer = self.sparse_layer(shape, form)
        return trained_layer_torch.TrainedLayer(torch, layer, (*inputs, gates), gradient, is_backward_alone), \
            lambda outputs: trained_layer_torch.sparse_error(torch, shape, (*inputs, gates), gradient, outputs)

    def prepare_method(self, variant, shape, seed):
        *inputs, gates = self.inputs(seed, shape)
        if shape["method"] == "dense":
            return self.prepare_dense(shape, *inputs)
        form = RIVALS[variant]["form"]
        if shape["method"] == "block_sparse":
            return self.prepare_block_sparse(shape, form, *inputs)
        if shape["method"] == "merged":
            return self.prepare_merged(shape, form, seed, *inputs)
        if shape["method"] == "pooled_keys":
            return self.prepare_pooled_keys(shape, form, *inputs)
        return self.prepare_sparse(shape, form, *inputs, gates)

    def prepare(self, operation, variant, shape, seed):
        if operation in TRAINED:
            launch, error_of = self.prepare_trained(variant, shape, seed)
            return launch, self.checking(error_of)
        launch, error_of = self.prepare_method(variant, shape, seed)

        def forward():
            with self.torch.no_grad():
                return launch()

        return forward, self.checking(error_of)

    @staticmethod
    def checking(error_of):
        def check(outputs, when):
            try:
                return error_of(outputs)
            except sampled_rows_torch.Fault as fault:
                raise bench_torch.Wrong(f"{when} timing: {fault}") from None
        return check


CONTEST = rival_contest.Contest(
    script=SCRIPT, rivals=RIVALS, operations=(*FORWARD, *TRAINED), shape_of=shape_of, bench=GatedBench, ours=OURS,
    is_for_rivals=is_for_rivals,
    competes=competes,
    size_of=lambda shape: shape["tokens"])


def limited(most_images):
    """The contest on the workloads that have no more images."""
    def is_wanted(workload):
        return is_for_rivals(workload) and (most_images is None or int(workload["axes"]["images"]) <= most_images)
    return dataclasses.replace(CONTEST, is_for_rivals=is_wanted)


def main(arguments):
    parser = rival_contest.parser(__doc__)
    parser.add_argument("--most-images", type=int, metavar="N", help="skip workloads of more images [none]")
    parser.add_argument("--trained", action="store_true", help="instead, the workloads of layers that are trained")
    given = parser.parse_args(arguments)
    rival_contest.add_rivals(limited(given.most_images), given, arguments, TRAINED if given.trained else FORWARD)


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
