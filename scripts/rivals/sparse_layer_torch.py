"""The sparse layer of gated attention as it is written in PyTorch: pool by mean, attend among pooled rows, list the key
blocks with the greatest scores (topk), attend to these, gate. Operation and names as in kernels/gated_attention/. No
gradient passes through the choice of blocks; all else has one by autograd.

Two ways to attend to the lists: gather their keys and values, and scaled_dot_product_attention over those (`gathered`);
or flex_attention with the lists as its block mask. Scores are fp32, since lists by bf16 scores are other lists. What
grows with rows · rows or is gathered is made for chunks of rows, as few as BYTES_OF_CHUNK and SCORES_OF_CHUNK let.
"""
import dataclasses
import importlib

BYTES_OF_CHUNK = 32 << 30
SCORES_OF_CHUNK = (1 << 31) - 1  # more would be indexed with 64 bits
WIDTH = 64
WARPS_OF_FLEX = {16: 1, 32: 2}


@dataclasses.dataclass(frozen=True)
class Form:
    """`attends`: "gathered" or "flex"; `compiles`: by torch.compile. flex_attention always is: without, it makes a full
    matrix of scores."""
    attends: str
    compiles: bool


def bytes_of_row(shape, form):
    """Of a pooled row's scores, and of the keys and values that its list gathers."""
    gathered = 2 * 2 * shape["selected"] * shape["block"] * WIDTH if form.attends == "gathered" else 0
    return shape["heads"] * (4 * shape["rows"] + gathered)


def chunks_of(shape, form, most_bytes=BYTES_OF_CHUNK, most_scores=SCORES_OF_CHUNK):
    """The least number of equal chunks of rows that fit; a row is the smallest."""
    rows = shape["rows"]
    at_once = min(most_bytes // bytes_of_row(shape, form), most_scores // (shape["heads"] * rows))
    least = -(-rows // max(at_once, 1))
    return next(count for count in range(least, rows + 1) if rows % count == 0)


class SparseLayer:
    """Called with q, k and v, bf16 [heads][tokens][64], and gates, fp32 [tokens][heads][2], it returns the output, as q,
    and the lists, [heads][rows][selected]."""

    def __init__(self, torch, shape, form):
        self.torch, self.shape, self.form = torch, shape, form
        self.trains = "region" in shape
        self.rows_at_once = shape["rows"] // chunks_of(shape, form)
        if form.attends == "flex":
            self.flex = importlib.import_module("torch.nn.attention.flex_attention")
        ways = [self.compressed, self.listed, self.gathered, self.flexed]
        if form.compiles:
            # One graph each, or an error: a rival that fell back to eager would be mislabeled.
            ways = [torch.compile(way, fullgraph=True) for way in ways]
        self.compress, self.choose, self.attend_gathered, self.attend_flex = ways

    def attention(self, q, k, v):
        return self.torch.nn.functional.scaled_dot_product_attention(q, k, v)

    def blocks_of(self, x):
        return x.view(self.shape["heads"], self.shape["rows"], self.shape["block"], WIDTH)

    def compressed(self, q, k, v):
        """Pooled q and k, and attention among pooled rows, [heads][rows][64] each."""
        q, k, v = [self.blocks_of(x).mean(dim=2) for x in (q, k, v)]
        return q, k, self.attention(q[None], k[None], v[None])[0]

    def listed(self, q, k):
        """The lists of some pooled rows."""
        scores = self.torch.bmm(q, k.transpose(1, 2), out_dtype=self.torch.float32)
        return scores.topk(min(self.shape["selected"], self.shape["rows"]), dim=-1, sorted=False).indices

    def gate(self, gates, compressed, selected):
        """γ_c · C + γ_s · O of some rows' tokens, [heads][rows][block][64]; gates [rows][block][heads][2]."""
        gates = gates.permute(3, 2, 0, 1)[..., None]
        return (gates[0] * compressed[:, :, None] + gates[1] * selected).to(self.torch.bfloat16)

    def gathered(self, q, k, v, lists, compressed, gates):
        """Of some rows: q [heads][rows][block][64]; k and v [heads · all rows][block · 64]."""
        heads, rows, block, width = q.shape
        first = self.torch.arange(heads, device=q.device) * self.shape["rows"]
        places = (lists + first[:, None, None]).flatten()
        # Rows are in the batch dimension: kernels limit the number of heads.
        q, k, v = [x.transpose(0, 1) for x in (q, *[x[places].view(heads, rows, -1, width) for x in (k, v)])]
        if self.trains:
            # Compiled, PyTorch 2.11 takes strided queries for dense ones in the backward pass: its dQ is noise.
            q, k, v = [x.contiguous() for x in (q, k, v)]
        selected = self.attention(q, k, v).transpose(0, 1)
        return self.gate(gates, compressed, selected)

    def flexed(self, q, k, v, mask, compressed, gates):
        block = self.shape["block"]
        options = {"BLOCK_M": block, "BLOCK_N": block, "num_warps": WARPS_OF_FLEX.get(block, 4),
                   "ROWS_GUARANTEED_SAFE": True}
        if self.trains:
            options.update({name: block for name in ("BLOCK_M1", "BLOCK_N1", "BLOCK_M2", "BLOCK_N2")})
        selected = self.flex.flex_attention(q[None], k[None], v[None], block_mask=mask, kernel_options=options)[0]
        return self.gate(gates, compressed, self.blocks_of(selected))

    def mask_of(self, lists):
        """Lists as blocks that are attended to whole; none in part."""
        torch, shape = self.torch, self.shape
        lists = lists[None].to(torch.int32)
        whole = torch.full(lists.shape[:-1], lists.shape[-1], dtype=torch.int32, device=lists.device)
        tokens = shape["rows"] * shape["block"]
        if self.trains:
            # To turn lists around, BlockMask takes their width for the number of blocks of keys.
            lists = torch.nn.functional.pad(lists, (0, shape["rows"] - lists.shape[-1]))
        return self.flex.BlockMask.from_kv_blocks(torch.zeros_like(whole), lists, whole, lists,
                                                  BLOCK_SIZE=shape["block"], seq_lengths=(tokens, tokens),
                                                  compute_q_blocks=self.trains)

    def joined(self, chunks):
        return chunks[0] if len(chunks) == 1 else self.torch.cat(chunks, dim=1)

    def __call__(self, q, k, v, gates):
        heads, rows, block = (self.shape[name] for name in ("heads", "rows", "block"))
        pooled_q, pooled_k, compressed = self.compress(q, k, v)
        gates = gates.view(rows, block, heads, 2)
        chunks = [slice(first, first + self.rows_at_once) for first in range(0, rows, self.rows_at_once)]
        listed_q, listed_k = pooled_q.detach(), pooled_k.detach()
        if self.form.attends == "flex":
            lists = self.joined([self.choose(listed_q[:, chunk], listed_k) for chunk in chunks])
            return self.attend_flex(q, k, v, self.mask_of(lists), compressed, gates).reshape(q.shape), lists
        q_blocks = self.blocks_of(q)
        k, v = (x.view(heads * rows, block * WIDTH) for x in (k, v))
        outputs, lists = [], []
        for chunk in chunks:
            lists.append(self.choose(listed_q[:, chunk], listed_k))
            outputs.append(self.attend_gathered(q_blocks[:, chunk], k, v, lists[-1], compressed[:, chunk], gates[chunk]))
        return self.joined(outputs).reshape(q.shape), self.joined(lists)
