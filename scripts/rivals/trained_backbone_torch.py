"""Training of backbones and blocks in PyTorch, as a user who tunes writes it: forward and the gradients of all parameters in one
launch, without an optimizer. Parameters are leaves of autograd, bf16 except those of batch norms, which are in training form:
over the real rows, not folded into the layers before them. Where rows are moved and come back, and where clusters are pooled,
the gradient is a gather, too: autograd, which does not know that, would add up rows one by one.

The published forms train as they are (published_layers_torch.py), by autograd alone.
"""
import typing

import flash3d_torch
import ptv3_torch
import sparse_rows_torch
from flash3d_torch import BATCH_EPSILON, BATCH_MOMENTUM


class BatchNorm(typing.NamedTuple):
    running_mean: object
    running_variance: object
    gamma: object
    beta: object


class Weights(flash3d_torch.Weights):
    """In blobs that fold nothing; what the forms take is a leaf, one a name."""

    def __init__(self, *of):
        super().__init__(*of)
        self.leaves = {}

    def leaf(self, name, tensor):
        if name not in self.leaves:
            self.leaves[name] = tensor.detach().clone().requires_grad_()
        return self.leaves[name]

    def linear(self, name):
        matrix, bias = super().linear(name)
        return self.leaf(f"{name}.weight", matrix), self.leaf(f"{name}.bias", bias) if self.layers[name].has_bias else bias

    def layer_norm(self, name):
        gamma, beta = super().layer_norm(name)
        return [self.leaf(f"{name}.weight", gamma), self.leaf(f"{name}.bias", beta)]

    def batch_norm(self, name):
        mean, variance, gamma, beta = self.norm(name)
        return BatchNorm(mean.clone(), variance.clone(), self.leaf(f"{name}.weight", gamma), self.leaf(f"{name}.bias", beta))

    def activated(self, name):
        return self.linear(name), self.batch_norm(f"{name}_norm")


class Launch:
    """Of what is given: what `forward` returns, and the gradient of each leaf by name."""

    def __init__(self, torch, forward, leaves, out_gradient):
        self.torch, self.forward, self.leaves, self.out_gradient = torch, forward, leaves, out_gradient

    def __call__(self, given):
        found = self.forward(given)
        gradients = self.torch.autograd.grad(found["out"], list(self.leaves.values()), self.out_gradient)
        return {**found, "out": found["out"].detach(), "gradients": dict(zip(self.leaves, gradients))}


class Gathers:
    """Gathers of rows whose gradients are gathers."""

    def __init__(self, torch):
        self.permuted = _permuted(torch).apply
        self.mean_of_runs, self.copied = (of.apply for of in _runs(torch))
        self.to_slots, self.to_rows = (of.apply for of in _slots(torch))


def _permuted(torch):
    class Permuted(torch.autograd.Function):
        """Row to[i] at i; `back` undoes it."""

        @staticmethod
        def forward(ctx, x, to, back):
            ctx.save_for_backward(back)
            return x.index_select(0, to)

        @staticmethod
        def backward(ctx, gradient):
            back, = ctx.saved_tensors
            return gradient.index_select(0, back), None, None
    return Permuted


def _runs(torch):
    """`slots`, `has_slot`: [clusters][ratio], the rows of each cluster; `size`: how many; `cluster`: of each real row."""
    def sums(x, slots, has_slot):
        return x[slots].float().masked_fill(~has_slot[:, :, None], 0).sum(1)

    def with_zeros(x, rows):
        return torch.nn.functional.pad(x, (0, 0, 0, rows - x.shape[0]))

    class MeanOfRuns(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, slots, has_slot, size, cluster):
            ctx.save_for_backward(size, cluster)
            ctx.rows = x.shape[0]
            return (sums(x, slots, has_slot) / size[:, None]).to(x.dtype)

        @staticmethod
        def backward(ctx, gradient):
            size, cluster = ctx.saved_tensors
            of_each = (gradient.float() / size[:, None]).to(gradient.dtype)
            return with_zeros(of_each.index_select(0, cluster), ctx.rows), None, None, None, None

    class Copied(torch.autograd.Function):
        """Each cluster's row to all of its rows."""

        @staticmethod
        def forward(ctx, x, slots, has_slot, cluster):
            ctx.save_for_backward(slots, has_slot)
            ctx.rows = x.shape[0]
            return x.index_select(0, cluster)

        @staticmethod
        def backward(ctx, gradient):
            return with_zeros(sums(gradient, *ctx.saved_tensors).to(gradient.dtype), ctx.rows), None, None, None
    return MeanOfRuns, Copied


def _slots(torch):
    """`slots`: the row of each slot of the windows, the last ones some rows' second; `rows`: the slot of each row."""
    class ToSlots(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, slots, rows):
            ctx.save_for_backward(slots, rows)
            return x.index_select(0, slots)

        @staticmethod
        def backward(ctx, gradient):
            slots, rows = ctx.saved_tensors
            real = rows.shape[0]
            return gradient.index_select(0, rows).index_add_(0, slots[real:], gradient[real:]), None, None

    class ToRows(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, slots, rows):
            ctx.save_for_backward(slots)
            ctx.real = rows.shape[0]
            return x.index_select(0, rows)

        @staticmethod
        def backward(ctx, gradient):
            slots, = ctx.saved_tensors
            return torch.nn.functional.pad(gradient.index_select(0, slots[:ctx.real]),
                                           (0, 0, 0, slots.shape[0] - ctx.real)), None, None
    return ToSlots, ToRows


class BatchNorms:
    """Of a form: batch norms of the rows that are there, and GELU."""

    def normed(self, x, norm):
        rows = self.functional.batch_norm(x, *norm, training=True, momentum=BATCH_MOMENTUM, eps=BATCH_EPSILON)
        return self.functional.gelu(rows).bfloat16()

    def activated(self, x, layer, real):
        linear, norm = layer
        return self.normed(self.functional.linear(x, *linear)[:real], norm)


class Flash3D(BatchNorms, flash3d_torch.Flash3D):
    def __init__(self, torch, *of):
        super().__init__(torch, *of)
        self.gathers = Gathers(torch)

    def moved(self, rows, buckets, back):
        return self.gathers.permuted(rows.view(-1, self.bucket * rows.shape[1]), buckets, back).view(rows.shape)

    def runs(self, level, found):
        pool = self.pools[level]
        return found["member"][level][pool.place], pool.has_slot

    def pooled(self, x, level, found):
        return self.gathers.mean_of_runs(x, *self.runs(level, found), self.pools[level].size, found["cluster"][level])

    def unpooled(self, x, level, found):
        return self.gathers.copied(x, *self.runs(level, found), found["cluster"][level])

    def restored(self, x, source):
        place = self.torch.empty_like(source).scatter_(0, source, self.row)
        return self.gathers.permuted(x[:self.points], place, source)


class Ptv3(BatchNorms, ptv3_torch.Ptv3):
    def __init__(self, torch, *of):
        super().__init__(torch, *of)
        self.gathers, self.columns = Gathers(torch), sparse_rows_torch.trained_columns(torch)

    def to_slots(self, x, slots, rows):
        return self.gathers.to_slots(x, slots, rows)

    def to_rows(self, x, slots, rows):
        return self.gathers.to_rows(x, slots, rows)
