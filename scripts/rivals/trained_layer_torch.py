"""Forward and backward of a layer of gated attention in PyTorch as one launch, or backward alone; and plain fp32 gradients
of one head, which such a launch is held against.

Gradients of a head are compared as a whole, ‖Δ‖ / ‖exact‖ of each: they go through bf16 in several places, and what a
framework adds up in which precision is its own affair. Lists are the rival's, which are checked apart
(sampled_rows_torch.py).
"""
import math

import sampled_rows_torch
from training_free_torch import KEY_BLOCK, QUERY_BLOCK

ACCEPTED_ERROR = 2e-2
QUERIES_OF_CHUNK = 2048
WIDTH = 64


class TrainedLayer:
    """`forward` takes the leaves and returns the output and whatever else it has. Called, this returns the output, a
    gradient for each leaf, and the rest."""

    def __init__(self, torch, forward, leaves, gradient, is_backward_alone):
        self.torch, self.forward, self.is_backward_alone = torch, forward, is_backward_alone
        self.leaves = [leaf.detach().requires_grad_() for leaf in leaves]
        self.saved = self.forward(*self.leaves)
        # In the layout of the output: otherwise a backward pass may begin with a copy.
        self.gradient = torch.empty_like(self.saved[0]).copy_(gradient.view(self.saved[0].shape))
        if not is_backward_alone:
            self.saved = None

    def __call__(self):
        out, *rest = self.saved if self.is_backward_alone else self.forward(*self.leaves)
        gradients = self.torch.autograd.grad(out, self.leaves, self.gradient, retain_graph=self.is_backward_alone)
        return (out.detach(), *gradients, *rest)


def gradients_of_dense_head(torch, q, k, v, gradient, is_left_out=None):
    """Of [tokens][64] in fp32: dQ, dK and dV. `is_left_out`: of some queries, which keys are."""
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))
    scale = 1 / math.sqrt(WIDTH)
    for first in range(0, q.shape[0], QUERIES_OF_CHUNK):
        some = slice(first, first + QUERIES_OF_CHUNK)
        scores = q[some] @ k.T * scale
        if is_left_out is not None:
            scores = scores.masked_fill(is_left_out(some), -math.inf)
        p = torch.softmax(scores, dim=-1)
        dp = gradient[some] @ v.T
        ds = p * (dp - (p * dp).sum(dim=-1, keepdim=True))
        dq[some] = ds @ k * scale
        dk += ds.T @ q[some] * scale
        dv += p.T @ gradient[some]
    return dq, dk, dv


def pooled_rows(torch, x, block):
    """Means of blocks in bf16, as the layer hands them on; their gradient is that of the means."""
    means = x.view(-1, block, WIDTH).mean(dim=1)
    return means + (means.to(torch.bfloat16).float() - means).detach()


def gradients_of_sparse_head(torch, block, inputs, gradient, lists):
    """Of q, k and v [tokens][64], gates [tokens][2], all fp32, by lists [rows][selected]: a gradient of each."""
    q, k, v, gates = leaves = [x.detach().requires_grad_() for x in inputs]
    scale = 1 / math.sqrt(WIDTH)
    rows_at_once = max(1, QUERIES_OF_CHUNK // block)
    gradients = [torch.zeros_like(leaf) for leaf in leaves]
    for first in range(0, lists.shape[0], rows_at_once):
        some = slice(first, first + rows_at_once)
        tokens = slice(first * block, (first + rows_at_once) * block)
        pooled_q, pooled_k, pooled_v = (pooled_rows(torch, x, block) for x in (q, k, v))
        compressed = torch.softmax(pooled_q[some] @ pooled_k.T * scale, dim=-1) @ pooled_v
        k_listed, v_listed = (x.view(-1, block, WIDTH)[lists[some]].flatten(1, 2) for x in (k, v))
        queries = q[tokens].view(-1, block, WIDTH)
        selected = torch.softmax(queries @ k_listed.transpose(1, 2) * scale, dim=-1) @ v_listed
        gate = gates[tokens].view(-1, block, 2)
        out = gate[..., :1] * compressed[:, None] + gate[..., 1:] * selected
        for sums, part in zip(gradients, torch.autograd.grad(out, leaves, gradient[tokens].view(out.shape))):
            sums += part
    return gradients


def expect_near(torch, seen, exact, names, where):
    """The greatest of the errors."""
    worst = 0
    for name, found, expected in zip(names, seen, exact):
        if not torch.isfinite(found).all().item():
            raise sampled_rows_torch.Fault(f"{where}: an element of {name} is no number")
        of = expected.double().norm().item()
        error = (found.double() - expected.double()).norm().item()
        error = error / of if of else (0.0 if error == 0 else math.inf)
        if not error <= ACCEPTED_ERROR:
            raise sampled_rows_torch.Fault(f"{where}: {name} is off by {error:.2e} against fp32 gradients, "
                                           f"expected at most {ACCEPTED_ERROR:.0e}")
        worst = max(worst, error)
    return worst


def dense_error(torch, inputs, gradient, outputs):
    """Of the head in the middle."""
    out, *found = outputs
    sampled_rows_torch.dense_error(torch, inputs, out[0])
    head = inputs[0].shape[0] // 2
    exact = gradients_of_dense_head(torch, *(x[head].detach().float() for x in (*inputs, gradient)))
    return expect_near(torch, [x[head] for x in found], exact, ("dQ", "dK", "dV"), f"head {head}")


def sparse_error(torch, shape, inputs, gradient, outputs):
    """The same, by the lists that the rival chose."""
    out, *found, lists = outputs
    sampled_rows_torch.sparse_error(torch, shape, inputs, out, lists)
    q, k, v, gates = inputs
    head = q.shape[0] // 2
    of_head = [x[head].float() for x in (q, k, v)] + [gates[:, head].float()]
    exact = gradients_of_sparse_head(torch, shape["block"], of_head, gradient[head].float(), lists[head].long())
    seen = [x[head] for x in found[:3]] + [found[3][:, head]]
    return expect_near(torch, seen, exact, ("dQ", "dK", "dV", "the gates' gradient"), f"head {head}")


def kept_error(torch, shape, inputs, layer, gradient, outputs):
    """The same, by the key blocks that the rival kept."""
    out, *found, order, counts = outputs
    sampled_rows_torch.kept_error(torch, shape, inputs, out, order, counts)
    head = inputs[0].shape[0] // 2
    bits = layer.bits_of(order[head], counts[head])

    def is_left_out(queries):
        block = torch.arange(layer.shape["tokens"], device=bits.device)[queries] // QUERY_BLOCK
        return ~bits[block].repeat_interleave(KEY_BLOCK, dim=1)
    exact = gradients_of_dense_head(torch, *(x[head].detach().float() for x in (*inputs, gradient)), is_left_out)
    return expect_near(torch, [x[head] for x in found], exact, ("dQ", "dK", "dV"), f"head {head}")
