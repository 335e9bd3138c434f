"""Attention within windows by scaled_dot_product_attention: cuDNN's kernel or flash attention, whichever is faster on a shape.

Both are called as operators, which scaled_dot_product_attention chooses among by its own rules. Rows hold Q, K and V of all heads
behind each other, windows follow each other, and nothing is copied: tokens, heads and channels are strides. What comes back
has the rows' order, too.
"""
import math
import typing

from spent_seconds import SPENT

KERNELS = {"cudnn": "_scaled_dot_product_cudnn_attention", "flash": "_scaled_dot_product_flash_attention"}
CORES = tuple(KERNELS)
ACCEPTED_ERROR = 1e-2


class AttentionShape(typing.NamedTuple):
    windows: int
    window: int
    heads: int
    width: int


def of_rows(packed, shape):
    """Q, K and V, [windows][heads][window][width] each, of [rows][3 · heads · width]."""
    return [of.transpose(1, 2) for of in packed.view(shape.windows, shape.window, 3, shape.heads, shape.width).unbind(2)]


def to_rows(x, shape):
    return x.transpose(1, 2).reshape(shape.windows * shape.window, shape.heads * shape.width)


def attend(torch, qkv, shape, core):
    """Of [rows][3 · heads · width]: [rows][heads · width]."""
    q, k, v = of_rows(qkv, shape)
    aten = torch.ops.aten
    if core == "cudnn":
        out = aten._scaled_dot_product_cudnn_attention(q, k, v, None, qkv.requires_grad)[0]
    elif core == "flash":
        out = aten._scaled_dot_product_flash_attention(q, k, v)[0]
    else:
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return to_rows(out, shape)


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


class TrainedOperator:
    """A core and its gradient as two operators, which a compiler leaves alone, like `as_operator`'s. Called as that, with
    rows that have a gradient."""

    def __init__(self, torch, kernels=KERNELS):
        self.torch, self.kernels, self.kept = torch, kernels, {}

        def attention(qkv: torch.Tensor, windows: int, window: int, heads: int, width: int,
                      core: str) -> tuple[torch.Tensor, torch.Tensor]:
            return self.forward(qkv, AttentionShape(windows, window, heads, width), core)

        def attention_gradient(out_gradient: torch.Tensor, qkv: torch.Tensor, out: torch.Tensor, lse: torch.Tensor,
                               windows: int, window: int, heads: int, width: int, core: str) -> torch.Tensor:
            return self.backward(out_gradient, qkv, out, lse, AttentionShape(windows, window, heads, width), core)

        # The operators go with these.
        self.definitions = [torch.library.custom_op(f"ablate_rivals::{name}", of, mutates_args=())
                            for name, of in (("attention_trained", attention), ("attention_gradient", attention_gradient))]

        @self.definitions[0].register_fake
        def _(qkv, windows, window, heads, width, core):
            return qkv.new_empty((windows * window, heads * width)), \
                qkv.new_empty((windows * heads * window,), dtype=torch.float32)

        @self.definitions[1].register_fake
        def _(out_gradient, qkv, out, lse, windows, window, heads, width, core):
            return qkv.new_empty(qkv.shape)

        def keep(ctx, inputs, output):
            qkv, *ctx.how = inputs
            ctx.save_for_backward(qkv, *output)

        def gradient(ctx, out_gradient, _):
            of = torch.ops.ablate_rivals.attention_gradient(out_gradient.contiguous(), *ctx.saved_tensors, *ctx.how)
            return (of, *[None] * len(ctx.how))
        self.definitions[0].register_autograd(gradient, setup_context=keep)

    def __call__(self, qkv, shape, core):
        return self.torch.ops.ablate_rivals.attention_trained(qkv, *shape, core)[0]

    def called(self, name, values):
        """An operator of PyTorch's with these of its arguments that have no default or are among them."""
        operator = getattr(self.torch.ops.aten, name).default
        return operator(**{of.name: values[of.name] for of in operator._schema.arguments if of.name in values})

    def forward(self, qkv, shape, core):
        q, k, v = of_rows(qkv, shape)
        out, lse, *rest = self.called(self.kernels[core], {"query": q, "key": k, "value": v, "attn_bias": None,
                                                           "compute_log_sumexp": True})
        # Of the rest, what dropout and sequences of other lengths would need: it goes to the gradient and says nothing.
        self.kept[shape, core] = lse.shape, dict(zip(("cum_seq_q", "cum_seq_k", "max_q", "max_k", "philox_seed",
                                                      "philox_offset"), rest))
        return to_rows(out, shape).contiguous(), lse.reshape(-1)

    def backward(self, out_gradient, qkv, out, lse, shape, core):
        torch, (shape_of_lse, rest) = self.torch, self.kept[shape, core]
        of_out_gradient, of_out = (of.view(shape.windows, shape.window, shape.heads, shape.width).transpose(1, 2)
                                   for of in (out_gradient, out))
        q, k, v = of_rows(qkv, shape)
        gradients = self.called(f"{self.kernels[core]}_backward", {
            "grad_out": of_out_gradient, "query": q, "key": k, "value": v, "out": of_out, "logsumexp": lse.view(shape_of_lse),
            "attn_bias": None, "dropout_p": 0.0, "is_causal": False, **rest})
        return torch.stack([of.transpose(1, 2) for of in gradients], dim=2).view(qkv.shape)


class Cores:
    """The core of each shape, chosen where it is first asked for; `trains`: by forward and backward."""

    def __init__(self, bench, trains=False):
        self.bench, self.trains, self.chosen = bench, trains, {}

    def launch_of(self, qkv, shape, core):
        """Called, it returns the output, and of what is trained the gradient of rows whose output's gradient is that output."""
        torch = self.bench.torch
        if not self.trains:
            return lambda: (attend(torch, qkv, shape, core),)
        qkv = qkv.requires_grad_()

        def launch():
            with torch.enable_grad():
                out = attend(torch, qkv, shape, core)
                return out.detach(), *torch.autograd.grad(out, qkv, out.detach())
        return launch

    def time_us(self, qkv, shape, core):
        """Or None, where the core has no such shape or is wrong."""
        try:
            launch = self.launch_of(qkv, shape, core)
            return self.bench.warm_up(launch)[1] if error_of(qkv.detach(), shape, *launch()) <= ACCEPTED_ERROR else None
        except (RuntimeError, TypeError, AttributeError):
            return None

    @SPENT.on("choosing kernels")
    def core_of(self, shape):
        if shape not in self.chosen:
            torch = self.bench.torch
            rows, columns = shape.windows * shape.window, 3 * shape.heads * shape.width
            qkv = torch.randn((rows, columns), dtype=torch.bfloat16, device=self.bench.device)
            with torch.no_grad():
                times = {core: self.time_us(qkv, shape, core) for core in CORES}
            self.chosen[shape] = fastest(times)
        return self.chosen[shape]


def error_of(qkv, shape, out, gradient=None):
    """Of the first head of the first window and the last of the last, ‖Δ‖ / ‖exact‖ of the one that is further off."""
    def parts(x, of, at):
        return x.view(shape.windows, shape.window, of, shape.heads, shape.width)[at, :, :, at].double().unbind(1)

    errors = []
    for at in (0, -1):
        q, k, v = parts(qkv, 3, at)
        p = (q @ k.T / shape.width ** 0.5).softmax(-1)
        found, exact = parts(out, 1, at), [p @ v]
        if gradient is not None:
            of_out, = found
            ds = p * (of_out @ v.T - (of_out * exact[0]).sum(-1, keepdim=True)) / shape.width ** 0.5
            found, exact = [*found, *parts(gradient, 3, at)], [*exact, ds @ k, ds.T @ q, p.T @ of_out]
        errors += [((seen - of).norm() / of.norm()).item() for seen, of in zip(found, exact)]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def fastest(times):
    """`default`, what PyTorch takes by its own rules, where no core can be called."""
    able = {core: us for core, us in times.items() if us is not None}
    return min(able, key=able.get, default="default")
