"""Plain fp32 arithmetic for some rows of gated attention, and how far an output is from it.

The error of a row is as in oracles/window_attention/deviation.h: ‖row − plain‖ over the greater of ‖plain‖ and the
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
        raise Fault("an element of the output is not a number")


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
        raise Fault(f"{where}: an entry of the list is not a key row, or is there twice")
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


MASS_ERROR = 1e-3  # sums of fp32 softmax in another order


def expect_enough(torch, mass, listed, shape, where):
    """`mass`: of a query block's softmax over all key blocks, in order; `listed`: those it keeps, by descending score."""
    least, wanted = max(mass.shape[0] * shape["kept"] // 100, 1), shape["mass"] / 100
    count, kept = listed.shape[0], mass[listed].sum().item()
    if count < least or kept < wanted - MASS_ERROR:
        raise Fault(f"{where}: it keeps less than requested")
    if count > least and kept - mass[listed].min().item() >= wanted + MASS_ERROR:
        raise Fault(f"{where}: it keeps all that was requested even without its last key block")


def kept_error(torch, shape, inputs, out, order, counts, query_block=128, key_block=64, multiplied=None):
    """The greatest error of the tokens of sampled query blocks in Block-Sparse attention; to the rival's own key blocks,
    which are checked apart. All in the order of blocks. `multiplied`: q and k as they are multiplied, where that is otherwise."""
    q, k, v = inputs
    q_multiplied, k_multiplied = multiplied or (q, k)
    heads, tokens = shape["heads"], shape["tokens"]
    queries, keys = tokens // query_block, tokens // key_block
    if tuple(order.shape) != (heads, queries, keys) or tuple(counts.shape) != (heads, queries):
        raise Fault(f"key blocks: expected {[heads, queries, keys]}, found {list(order.shape)}")
    expect_finite(torch, out)
    worst, pooled_of = 0, {}
    for place in places(heads * queries):
        head, row = divmod(place, queries)
        where, rows = f"head {head}, query block {row}", slice(row * query_block, (row + 1) * query_block)
        if head not in pooled_of:
            pooled_of = {head: [x[head].view(blocks, -1, x.shape[-1]).float().mean(dim=1).to(torch.bfloat16).double()
                                for x, blocks in ((q, queries), (k, keys))]}
        pooled_q, pooled_k = pooled_of[head]
        listed = order[head, row, :int(counts[head, row])].long()
        scores = pooled_k @ pooled_q[row]
        expect_best(torch, scores, pooled_k.abs() @ pooled_q[row].abs(), listed, where)
        expect_enough(torch, torch.softmax(scores / 8, dim=-1), listed, shape, where)
        k_kept, v_kept = (x[head].view(keys, key_block, -1)[listed].flatten(0, 1).float() for x in (k_multiplied, v))
        exact, scale = attention(torch, q_multiplied[head, rows].float(), k_kept, v_kept)
        worst = max(worst, worst_error(torch, out[head, rows], exact, scale, where))
    return worst


MATCH_ERROR = 2.0 ** -7  # products are rounded to bf16 before they are compared


def expect_matches(torch, x, layer, best):
    destinations = x[layer.destinations].float()
    if tuple(best.shape) != (len(layer.sources),):
        raise Fault(f"matches: expected {len(layer.sources)}, found {list(best.shape)}")
    for i in places(len(layer.sources)):
        products = destinations @ x[layer.sources[i]].float()
        greatest, matched = products.max().item(), products[best[i]].item()
        if not matched >= greatest - MATCH_ERROR * abs(greatest):
            raise Fault(f"source {i}: its destination's product is {matched:.4g}, the greatest {greatest:.4g}")


def merged_error(torch, inputs, layer, out, best):
    """The greatest error of sampled tokens where tokens are merged by the rival's own matches, which are checked apart."""
    *inputs, x = inputs
    heads, tokens = inputs[0].shape[:2]
    expect_finite(torch, out)
    expect_matches(torch, layer.metric_rows(x), layer, best)
    count = len(layer.destinations)
    row_of = torch.empty(tokens, dtype=torch.long, device=x.device)
    row_of[layer.destinations] = torch.arange(count, device=x.device)
    row_of[layer.sources] = best
    row_of[layer.appended] = count + torch.arange(len(layer.appended), device=x.device)
    to, sources = best[layer.merged_ones], layer.merged_sources

    def merged(rows):
        sums = rows[layer.destinations].double().index_add(0, to, rows[sources].double())
        of = 1 + torch.bincount(to, minlength=count)
        return torch.cat([(sums / of[:, None]).to(torch.bfloat16), rows[layer.appended]]).float()
    worst, merged_of = 0, {}
    for place in places(heads * tokens):
        head, token = divmod(place, tokens)
        if head not in merged_of:
            merged_of = {head: [merged(each[head]) for each in inputs]}
        q, k, v = merged_of[head]
        row = int(row_of[token])
        exact, scale = attention(torch, q[row:row + 1], k, v)
        worst = max(worst, worst_error(torch, out[head, token:token + 1], exact, scale, f"head {head}, token {token}"))
    return worst
