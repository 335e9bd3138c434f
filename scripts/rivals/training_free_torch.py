"""What sparse attention replaces, as it is written in PyTorch: Block-Sparse attention, forward and for autograd, attention among
merged tokens (FastVGGT), and to pooled keys. Operations and names as in kernels/block_sparse_selection/, kernels/token_merging/ and
kernels/gated_attention/.

Block-Sparse attention has two ways to attend to the key blocks that it keeps: flex_attention with these as its block mask
(`flex`), or scaled_dot_product_attention with a mask of tokens, which multiplies all and drops what is not kept (`masked`).
What grows with queries · keys is made for some heads, or some blocks of queries, at a time. Patches in another order are moved
there and back in each launch. Numbers of int8, which PyTorch has no attention for, are multiplied as bf16, which holds each of
them, and flex_attention's scores by the scales of their blocks: the same products.

The partition of tokens into destinations, sources and protected ones is the input's and made ahead, as Ablate's is.
"""
import dataclasses
import importlib

import bench_torch

QUERY_BLOCK, KEY_BLOCK, WIDTH = 128, 64, 64
PAIRS_AT_ONCE = 1 << 28
BYTES_OF_MASK = 4 << 30
SOURCES_AT_ONCE = 5000  # as published
COLUMNS, ROWS = 36, 28
TOKENS_OF_IMAGE = COLUMNS * ROWS
CELL_SEED, PROTECTED_SHARE = 11, 10


@dataclasses.dataclass(frozen=True)
class Form:
    """`attends`: "flex", "masked", "merged" or "pooled"; `compiles`: by torch.compile. flex_attention always is: without, it makes a
    full matrix of scores."""
    attends: str
    compiles: bool


def at_once(count, each, most):
    """The greatest number of equal parts' things, so that a part has no more than `most`; one at least."""
    least = min(-(-count * each // most), count)
    parts = next(parts for parts in range(max(least, 1), count + 1) if count % parts == 0)
    return count // parts


def patch_position(patch):
    """Column and row in an image, of a patch by number or a tensor of them: 4 x 4 after 4 x 4."""
    block, in_block = patch // 16, patch % 16
    return block % (COLUMNS // 4) * 4 + in_block % 4, block // (COLUMNS // 4) * 4 + in_block // 4


def hilbert_number(x, y, side=64):
    """Of a cell of side x side along the curve."""
    number, half = 0, side // 2
    while half:
        right, lower = int(x & half != 0), int(y & half != 0)
        number += half * half * (3 * right ^ lower)
        if not lower:
            if right:
                x, y = side - 1 - x, side - 1 - y
            x, y = y, x
        half //= 2
    return number


def patches_in_order(order):
    """Of each place in an image's order the patch: kernels/block_sparse_attention/patch_order.cpp."""
    numbers = {"natural": lambda patch: patch, "rows": lambda patch: 64 * patch_position(patch)[1] + patch_position(patch)[0],
               "hilbert": lambda patch: hilbert_number(*patch_position(patch))}
    return sorted(range(TOKENS_OF_IMAGE), key=numbers[order])


def as_int8(torch, x, block):
    """Of [heads][tokens][64]: numbers of int8, and the scales of their blocks, fp32 [heads][blocks]
    (kernels/compression_attention/int8_rows.h)."""
    blocks = x.float().view(x.shape[0], -1, block * WIDTH)
    greatest = blocks.abs().amax(dim=-1, keepdim=True)
    numbers = (blocks * (127 / greatest)).round().clamp(-127, 127).masked_fill(greatest <= 2.0 ** -100, 0)
    return numbers.view(x.shape), greatest[..., 0] / 127


def quantized(torch, q, k):
    """Numbers and scales of both; of k less its mean, which changes no softmax."""
    return as_int8(torch, q, QUERY_BLOCK), as_int8(torch, k.float() - k.mean(dim=1, keepdim=True, dtype=torch.float32), KEY_BLOCK)


class BlockSparseLayer:
    """Called with q, k and v, bf16 [heads][tokens][64], it returns the output, as q, and the key blocks of each query block, [heads]
    [query blocks][key blocks] by descending score, and how many of them it keeps. Tokens are whole query blocks. `to`: of each
    place in the order of blocks its token, where that is another one."""

    def __init__(self, torch, shape, form, device="cuda"):
        self.torch, self.shape, self.form, self.trains = torch, shape, form, "region" in shape
        self.multiplies_int8, self.to = shape.get("products", "bf16") == "int8", None
        if shape.get("order", "natural") != "natural":
            images = torch.arange(0, shape["tokens"], TOKENS_OF_IMAGE, device=device)
            self.to = (images[:, None] + torch.tensor(patches_in_order(shape["order"]), device=device)).view(-1)
            self.back = torch.argsort(self.to)
        self.queries, self.keys = shape["tokens"] // QUERY_BLOCK, shape["tokens"] // KEY_BLOCK
        self.heads_at_once = at_once(shape["heads"], self.queries * self.keys, PAIRS_AT_ONCE)
        self.rows_at_once = at_once(self.queries, shape["heads"] * QUERY_BLOCK * shape["tokens"], BYTES_OF_MASK)
        if form.attends == "flex":
            self.flex = importlib.import_module("torch.nn.attention.flex_attention")
        ways = [self.chosen, self.flexed, self.masked]
        if form.compiles:
            # One graph each, or an error: a rival that fell back to eager would be mislabeled.
            ways = [torch.compile(way, fullgraph=True) for way in ways]
        self.choose, self.attend_flex, self.attend_masked = ways

    def chosen(self, q, k):
        """Of some heads: the key blocks in descending order of their scores, and how many of them each row keeps."""
        torch, shape = self.torch, self.shape
        q = q.view(q.shape[0], self.queries, QUERY_BLOCK, WIDTH).mean(dim=2)
        k = k.view(k.shape[0], self.keys, KEY_BLOCK, WIDTH).mean(dim=2)
        scores = torch.bmm(q, k.transpose(1, 2), out_dtype=torch.float32)
        mass, order = torch.softmax(scores / 8, dim=-1).sort(dim=-1, descending=True, stable=True)
        before = mass.cumsum(dim=-1) - mass
        counts = (before < shape["mass"] / 100).sum(dim=-1).clamp(min=max(self.keys * shape["kept"] // 100, 1))
        return order.to(torch.int32), counts.to(torch.int32)

    def bits_of(self, order, counts):
        places = self.torch.arange(self.keys, device=order.device)
        bits = self.torch.zeros(order.shape, dtype=self.torch.bool, device=order.device)
        return bits.scatter(-1, order.long(), places < counts[..., None])

    def flexed(self, q, k, v, mask):
        options = {"BLOCK_M": QUERY_BLOCK, "BLOCK_N": KEY_BLOCK}
        if self.trains:
            options |= {name: KEY_BLOCK for name in ("BLOCK_M1", "BLOCK_N1", "BLOCK_M2", "BLOCK_N2")}
        scaled = None
        if self.multiplies_int8:
            (q, of_q), (k, of_k) = quantized(self.torch, q, k)
            q, k = q.to(v.dtype), k.to(v.dtype)

            def scaled(score, batch, head, query, key):
                return score * of_q[head, query // QUERY_BLOCK] * of_k[head, key // KEY_BLOCK]
        return self.flex.flex_attention(q[None], k[None], v[None], score_mod=scaled, block_mask=mask, kernel_options=options)[0]

    def mask_of(self, order, counts):
        """Blocks that are attended to whole; none in part."""
        order, counts, tokens = order[None], counts[None], self.shape["tokens"]
        return self.flex.BlockMask.from_kv_blocks(self.torch.zeros_like(counts), order, counts, order,
                                                  BLOCK_SIZE=(QUERY_BLOCK, KEY_BLOCK), seq_lengths=(tokens, tokens),
                                                  compute_q_blocks=self.trains)

    def masked(self, q, k, v, bits):
        """Of some query blocks."""
        mask = bits.repeat_interleave(QUERY_BLOCK, dim=1).repeat_interleave(KEY_BLOCK, dim=2)
        return self.torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=mask[None])[0]

    def attended(self, q, k, v, order, counts):
        if self.form.attends == "flex":
            return self.attend_flex(q, k, v, self.mask_of(order, counts))
        bits, rows = self.bits_of(order, counts), self.rows_at_once
        parts = [self.attend_masked(q[:, first * QUERY_BLOCK:(first + rows) * QUERY_BLOCK], k, v, bits[:, first:first + rows])
                 for first in range(0, self.queries, rows)]
        return self.torch.cat(parts, dim=1)

    def __call__(self, q, k, v):
        torch, heads = self.torch, self.shape["heads"]
        if self.to is not None:
            q, k, v = (x.index_select(1, self.to) for x in (q, k, v))
        some = [slice(first, first + self.heads_at_once) for first in range(0, heads, self.heads_at_once)]
        # No gradient passes through the choice.
        order, counts = (torch.cat(parts) for parts in zip(*(self.choose(q[part].detach(), k[part].detach()) for part in some)))
        out = self.attended(q, k, v, order, counts)
        return out if self.to is None else out.index_select(1, self.back), order, counts


def is_destination(token, seed):
    """Of a token by number, an integer or a tensor of them: kernels/token_merging/partition.h, images of 36 x 28 patches."""
    image, patch = token // TOKENS_OF_IMAGE, token % TOKENS_OF_IMAGE
    x, y = patch % COLUMNS, patch // COLUMNS
    cell = (image * (ROWS // 2) + y // 2) * (COLUMNS // 2) + x // 2
    drawn = bench_torch.mixed(cell + CELL_SEED * seed) & 3
    return (image == 0) | (drawn == y % 2 * 2 + x % 2)


def is_protected(token, tokens):
    count = tokens // PROTECTED_SHARE
    step = tokens // count
    return (token % step == 0) & (token // step < count)


def look_of_place(i, seed, channels):
    """Element i of Ablate's x of the scene, as a whole number of 1 / (5 · DEVIATION_OF_SUM); of an integer or a tensor."""
    def integer(seed, index):
        x = bench_torch.mixed(index + bench_torch.signed(seed * bench_torch.STREAM_STEP))
        return (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF

    token = i // channels
    place = token // TOKENS_OF_IMAGE * 40 + token % TOKENS_OF_IMAGE
    return 4 * integer(2 * seed, place * channels + i % channels) + 3 * integer(2 * seed + 1, i)


class MergedLayer:
    """Called with q, k and v, bf16 [heads][tokens][64], and x, bf16 [tokens][channels], it returns the output, as q, and each
    source's destination, by its number among the destinations."""

    def __init__(self, torch, shape, form, seed, device):
        self.torch, self.shape = torch, shape
        token = torch.arange(shape["tokens"], device=device)
        goes_in, stays = is_destination(token, seed), is_protected(token, shape["tokens"])
        self.destinations, self.sources = token[goes_in], token[~goes_in]
        self.appended = token[stays & ~goes_in] if shape["protected"] == "once" else token[stays]
        # By number: a mask makes the host wait for how many it selects, in each call.
        self.merged_ones = torch.nonzero(~stays[self.sources]).flatten()
        self.merged_sources = self.sources[self.merged_ones]
        ways = [self.metric_rows, self.matched, self.merged, self.attended]
        if form.compiles:
            ways = [torch.compile(way, fullgraph=True) for way in ways]
        self.metric, self.match, self.merge, self.attend = ways

    def metric_rows(self, x):
        """What tokens are matched by: x, or the mean of its heads' channels, of length 1 again."""
        if self.shape.get("metric", "channels") == "channels":
            return x
        sums = x.view(x.shape[0], -1, WIDTH).float().sum(dim=1)
        return self.torch.nn.functional.normalize(sums, dim=-1).to(x.dtype)

    def matched(self, some, destinations):
        """Of some sources' rows."""
        return (some @ destinations.T).max(dim=-1).indices

    def merged(self, rows, best):
        """Of q, k or v: means of destinations with their sources, then the protected tokens."""
        torch = self.torch
        to, sources = best[self.merged_ones], self.merged_sources
        sums = rows[:, self.destinations].float().index_add(1, to, rows[:, sources].float())
        counts = torch.ones(len(self.destinations), device=rows.device).index_add(
            0, to, torch.ones(len(to), device=rows.device))
        return torch.cat([(sums / counts[:, None]).to(rows.dtype), rows[:, self.appended]], dim=1)

    def attended(self, q, k, v):
        return self.torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]

    def __call__(self, q, k, v, x):
        torch, count = self.torch, len(self.destinations)
        x = self.metric(x)
        rows, destinations = x[self.sources], x[self.destinations]
        best = torch.cat([self.match(rows[first:first + SOURCES_AT_ONCE], destinations)
                          for first in range(0, len(rows), SOURCES_AT_ONCE)])
        left = self.attend(*(self.merge(each, best) for each in (q, k, v)))
        out = torch.empty_like(q)
        out[:, self.destinations] = left[:, :count]
        out[:, self.sources] = left[:, best]
        out[:, self.appended] = left[:, count:]
        return out, best


class PooledKeysLayer:
    """Called with q, k and v, bf16 [heads][tokens][64], it returns the output, as q, of attention to the means of blocks."""

    def __init__(self, torch, shape, form):
        self.torch, self.shape = torch, shape
        self.attend = torch.compile(self.attended, fullgraph=True) if form.compiles else self.attended

    def pooled(self, x):
        return x.view(x.shape[0], -1, self.shape["block"], WIDTH).mean(dim=2)

    def attended(self, q, k, v):
        k, v = self.pooled(k), self.pooled(v)
        return self.torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]

    def __call__(self, q, k, v):
        return (self.attend(q, k, v),)
