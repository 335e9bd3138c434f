"""Plain fp32 arithmetic for some rows of gated attention, and how far an output is from it.

The error of a row is as in kernels/window_attention/window_attention.h: ‖row − plain‖ over the greater of ‖plain‖ and the
norm that it would have if its terms had random signs, √Σ (p·‖v‖)². Lists are held to the rule of
kernels/compression_attention/compression_attention.h: no key block outside of a list may score more than one in it, where
scores within 64 · 2^-23 · Σ|q·k| of each other count as equal.
"""
import math

ACCEPTED_ROW_ERROR = 2.0 ** -7
MARGIN = 64 * 2.0 ** -23
SAMPLES = 32


class Fault(Exception):
    """What is wrong with an output, in one line."""


def places(count, samples=SAMPLES):
    """Some of `count` things, in order: the first and the last among them, the others spread evenly, without a period."""
    golden = (math.sqrt(5) - 1) / 2
    return sorted({0, count - 1, *(int(count * (i * golden % 1)) for i in range(1, samples - 1))})


def attention(torch, q, k, v):
    """Of queries [n][64] to keys: the outputs, and what errors are measured by, [n]; fp32."""
    p = torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), dim=-1)
    out = p @ v
    noise = (p * v.norm(dim=-1)).norm(dim=-1)
    return out, torch.maximum(out.norm(dim=-1), noise)


def worst_error(torch, seen, exact, scale, where):
    """Over rows [n][64]."""
    error = ((seen.float() - exact).norm(dim=-1) / scale).max().item()
    if not error <= ACCEPTED_ROW_ERROR:
        raise Fault(f"{where}: a row is off by {error:.2e} against fp32 attention, expected at most "
                    f"{ACCEPTED_ROW_ERROR:.1e}")
    return error


def expect_finite(torch, out):
    if not torch.isfinite(out).all().item():
        raise Fault("an element of the output is no number")


def dense_error(torch, inputs, out):
    """The greatest error of sampled rows; q and out may be a part of the tokens."""
    q, k, v = inputs
    heads, queries = q.shape[:2]
    expect_finite(torch, out)
    worst = 0
    for place in places(heads * queries):
        head, row = divmod(place, queries)
        exact, scale = attention(torch, q[head, row:row + 1].float(), k[head].float(), v[head].float())
        worst = max(worst, worst_error(torch, out[head, row:row + 1], exact, scale, f"head {head}, row {row}"))
    return worst


def expect_best(torch, scores, magnitudes, listed, where):
    """`scores`: of a pooled row with all key rows; `magnitudes`: Σ|q·k| of each; `listed`: its list."""
    rows, length = scores.shape[0], listed.shape[0]
    if not (0 <= listed.min().item() and listed.max().item() < rows and listed.unique().shape[0] == length):
        raise Fault(f"{where}: an entry of the list is no key row, or stands in it twice")
    margin = MARGIN / 2 * magnitudes
    is_outside = torch.ones(rows, dtype=torch.bool, device=scores.device)
    is_outside[listed] = False
    if is_outside.any().item():
        least, most = (scores + margin)[listed].min().item(), (scores - margin)[is_outside].max().item()
        if least < most:
            raise Fault(f"{where}: a key row outside of the list scores more than one of its entries")


def sparse_error(torch, shape, inputs, out, lists):
    """The greatest error of the tokens of sampled blocks; attention to the tokens of the rival's own lists, which are
    checked apart."""
    q, k, v, gates = inputs
    heads, rows, block = (shape[name] for name in ("heads", "rows", "block"))
    expected = (heads, rows, min(shape["selected"], rows))
    if tuple(lists.shape) != expected:
        raise Fault(f"lists: expected {list(expected)}, found {list(lists.shape)}")
    expect_finite(torch, out)
    worst, pooled_of = 0, {}

    def pooled(x):
        return x.view(rows, block, -1).float().mean(dim=1).to(torch.bfloat16).float()

    for place in places(heads * rows):
        head, row = divmod(place, rows)
        where, tokens = f"head {head}, block {row}", slice(row * block, (row + 1) * block)
        if head not in pooled_of:
            pooled_of = {head: [pooled(x[head]) for x in (q, k, v)]}
        pooled_q, pooled_k, pooled_v = pooled_of[head]
        query, keys = pooled_q[row].double(), pooled_k.double()
        listed = lists[head, row].long()
        expect_best(torch, keys @ query, keys.abs() @ query.abs(), listed, where)
        compressed, scale_c = attention(torch, pooled_q[row:row + 1], pooled_k, pooled_v)
        k_listed, v_listed = (x[head].view(rows, block, -1)[listed].flatten(0, 1).float() for x in (k, v))
        selected, scale_s = attention(torch, q[head, tokens].float(), k_listed, v_listed)
        gate_c, gate_s = gates[tokens, head, 0], gates[tokens, head, 1]
        exact = gate_c[:, None] * compressed + gate_s[:, None] * selected
        scale = torch.maximum(exact.norm(dim=-1), torch.maximum(gate_c * scale_c, gate_s * scale_s))
        worst = max(worst, worst_error(torch, out[head, tokens], exact, scale, where))
    return worst
