"""Sparse convolutions of a block in PyTorch once a voxel's neighbors are known, in two forms; the faster one on a shape
is used. `columns`: the rows of all offsets gathered next to each other, zeros where there is none, and one product. `grouped`:
the middle offset, which pairs each row with itself, begins fp32 sums; the rows of all other pairs are gathered once and
multiplied by one grouped product (torch._grouped_mm, offsets on the device), and added.
"""
import math
import typing

from ptv3_layers import POSITION_KERNEL
from spent_seconds import SPENT
from voxel_index_torch import offsets_of_lists

FORMS = ("columns", "grouped")
OFFSETS = POSITION_KERNEL ** 3


class ConvolutionShape(typing.NamedTuple):
    rows: int
    pairs: int
    channels: int


def gathered(torch, x, table):
    """[rows][offsets · inputs]"""
    with_zeros = torch.cat([x, x.new_zeros((1, x.shape[1]))])
    return with_zeros.index_select(0, table.reshape(-1)).view(x.shape[0], -1)


def columns(torch, x, table, matrix, bias=None):
    """`matrix`: [outputs][offsets · inputs]."""
    return torch.nn.functional.linear(gathered(torch, x, table), matrix, bias)


def trained_columns(torch):
    """`columns` with gradients that need no addition of rows: a neighbor at an offset has this row at the mirrored one. Takes the
    same but the first."""
    class Columns(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, table, matrix, bias):
            ctx.save_for_backward(x, table, matrix)
            ctx.has_bias = bias is not None
            return columns(torch, x, table, matrix, bias)

        @staticmethod
        def backward(ctx, gradient):
            x, table, matrix = ctx.saved_tensors
            of_x = None
            if ctx.needs_input_grad[0]:
                by_offset = matrix.view(matrix.shape[0], table.shape[1], -1)
                mirrored = by_offset.flip(1).permute(2, 1, 0).reshape(x.shape[1], -1)
                of_x = columns(torch, gradient, table, mirrored)
            of_matrix = gradient.t() @ gathered(torch, x, table)
            return of_x, None, of_matrix, gradient.sum(0) if ctx.has_bias else None
    return Columns.apply


def regrouped(matrix, channels):
    """[outputs][offsets · inputs] as the matrices [lists][inputs][outputs], and the middle one."""
    by_offset = matrix.view(-1, OFFSETS, channels).permute(1, 2, 0)
    return by_offset[offsets_of_lists(OFFSETS)].contiguous(), by_offset[OFFSETS // 2].contiguous()


def grouped(torch, x, lists, of_lists, middle, bias):
    sums = torch.mm(x, middle, out_dtype=torch.float32) + bias.float()
    products = torch._grouped_mm(x.index_select(0, lists["ins"]), of_lists, offs=lists["ends"])
    return sums.index_add_(0, lists["outs"], products.float()).bfloat16()


def as_operator(torch):
    """`grouped` as an operator of its own, which a compiler leaves alone. Takes the same but the first."""
    def convolution(x: torch.Tensor, ins: torch.Tensor, outs: torch.Tensor, ends: torch.Tensor, of_lists: torch.Tensor,
                    middle: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return grouped(torch, x, {"ins": ins, "outs": outs, "ends": ends}, of_lists, middle, bias)

    definition = torch.library.custom_op("ablate_rivals::convolution", convolution, mutates_args=())

    @definition.register_fake
    def _(x, ins, outs, ends, of_lists, middle, bias):
        return x.new_empty((x.shape[0], middle.shape[1]))

    operator = torch.ops.ablate_rivals.convolution

    def call(x, lists, of_lists, middle, bias):
        return operator(x, lists["ins"], lists["outs"], lists["ends"], of_lists, middle, bias)
    call.definition = definition  # the operator goes with it
    return call


class Convolutions:
    """The form of each shape, chosen where it is first asked for, on rows that are neighbors by chance."""

    def __init__(self, bench):
        self.bench, self.chosen = bench, {}

    def made(self, shape):
        """Rows, a table, its lists, and a matrix."""
        torch, device, (rows, pairs, channels) = self.bench.torch, self.bench.device, shape
        among = {"dtype": torch.int32, "device": device}
        table = torch.randint(rows, (rows, OFFSETS), **among)
        share = (pairs - rows) / (rows * (OFFSETS - 1))
        table = table.masked_fill(torch.rand((rows, OFFSETS), device=device) >= share, rows)
        table[:, OFFSETS // 2] = torch.arange(rows, **among)
        others = table.t()[offsets_of_lists(OFFSETS)]
        outs = torch.nonzero(others < rows)[:, 1].int()
        lists = {"ins": others[others < rows], "outs": outs, "ends": torch.cumsum((others < rows).sum(1), 0).int()}
        matrix = torch.randn((channels, OFFSETS * channels), device=device).bfloat16()
        return torch.randn((rows, channels), device=device).bfloat16(), table, lists, matrix

    def time_us(self, launch):
        """Or None, where there is no such kernel."""
        try:
            return self.bench.warm_up(launch)[1]
        except (RuntimeError, TypeError, AttributeError):
            return None

    @SPENT.on("choosing kernels")
    def form_of(self, shape):
        if shape not in self.chosen:
            torch = self.bench.torch
            x, table, lists, matrix = self.made(shape)
            by_list, bias = regrouped(matrix, shape.channels), matrix[:, 0].contiguous()
            with torch.no_grad():
                times = {"columns": self.time_us(lambda: columns(torch, x, table, matrix, bias)),
                         "grouped": self.time_us(lambda: grouped(torch, x, lists, *by_list, bias))}
            self.chosen[shape] = fastest(times)
        return self.chosen[shape]


def fastest(times):
    """`columns`, which need nothing but a product, where none can be timed."""
    return min(times, key=lambda form: math.inf if times[form] is None else times[form], default="columns")
