"""Attention within windows by scaled_dot_product_attention: cuDNN's kernel or flash attention, whichever is faster on a shape.

Both are called as operators, which scaled_dot_product_attention chooses among by its own rules. Rows hold Q, K and V of all heads
behind each other, windows follow each other, and nothing is copied: tokens, heads and channels are strides. What comes back
has the rows' order, too.
"""
import math
import typing

CORES = ("cudnn", "flash")
ACCEPTED_ERROR = 1e-2


class AttentionShape(typing.NamedTuple):
    windows: int
    window: int
    heads: int
    width: int


def attend(torch, qkv, shape, core):
    """Of [rows][3 · heads · width]: [rows][heads · width]."""
    packed = qkv.view(shape.windows, shape.window, 3, shape.heads, shape.width)
    q, k, v = (packed[:, :, of].transpose(1, 2) for of in range(3))
    aten = torch.ops.aten
    if core == "cudnn":
        out = aten._scaled_dot_product_cudnn_attention(q, k, v, None, False)[0]
    elif core == "flash":
        out = aten._scaled_dot_product_flash_attention(q, k, v)[0]
    else:
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return out.transpose(1, 2).reshape(shape.windows * shape.window, shape.heads * shape.width)


def as_operator(torch):
    """`attend` as an operator of its own, which a compiler leaves alone: it need not know the strides that a core gives its
    output. Takes the same but the first."""
    def attention(qkv: torch.Tensor, windows: int, window: int, heads: int, width: int, core: str) -> torch.Tensor:
        return attend(torch, qkv, AttentionShape(windows, window, heads, width), core).contiguous()

    definition = torch.library.custom_op("ablate_rivals::attention", attention, mutates_args=())

    @definition.register_fake
    def _(qkv, windows, window, heads, width, core):
        return qkv.new_empty((windows * window, heads * width))

    operator = torch.ops.ablate_rivals.attention

    def call(qkv, shape, core):
        return operator(qkv, shape.windows, shape.window, shape.heads, shape.width, core)
    call.definition = definition  # the operator goes with it
    return call


class Cores:
    """The core of each shape, chosen where it is first asked for."""

    def __init__(self, bench):
        self.bench, self.chosen = bench, {}

    def time_us(self, qkv, shape, core):
        """Or None, where the core has no such shape or is wrong."""
        def launch():
            return attend(self.bench.torch, qkv, shape, core)
        try:
            return self.bench.warm_up(launch)[1] if error_of(qkv, shape, launch()) <= ACCEPTED_ERROR else None
        except (RuntimeError, TypeError, AttributeError):
            return None

    def core_of(self, shape):
        if shape not in self.chosen:
            torch = self.bench.torch
            rows, columns = shape.windows * shape.window, 3 * shape.heads * shape.width
            qkv = torch.randn((rows, columns), dtype=torch.bfloat16, device=self.bench.device)
            with torch.no_grad():
                times = {core: self.time_us(qkv, shape, core) for core in CORES}
            self.chosen[shape] = fastest(times)
        return self.chosen[shape]


def error_of(qkv, shape, out):
    """Of the first head of the first window and the last of the last, ‖Δ‖ / ‖exact‖ of the one that is further off."""
    rows = qkv.view(shape.windows, shape.window, 3, shape.heads, shape.width)
    errors = []
    for at in (0, -1):
        q, k, v = rows[at, :, :, at].double().unbind(1)
        exact = (q @ k.T / shape.width ** 0.5).softmax(-1) @ v
        found = out.view(shape.windows, shape.window, shape.heads, shape.width)[at, :, at].double()
        errors.append(((found - exact).norm() / exact.norm()).item())
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def fastest(times):
    """`default`, what PyTorch takes by its own rules, where no core can be called."""
    able = {core: us for core, us in times.items() if us is not None}
    return min(able, key=able.get, default="default")
