"""What outputs of backbones and blocks are held to: passes in fp64, one that rounds nothing and one that rounds wherever PyTorch
stores a tensor (specification: backbone §3). An output may be twice as far off as rounding moves it. Gradients, by autograd of
these passes, are held to as Ablate's own (variants/backbone/gradient_check.h): each parameter's at most three times as far off as
rounding makes it, or all of them together, and those of a block's rows twice.

An error of a gradient is measured by the norm of the exact one; that of a bias at least by what its layer's weights suggest:
after some layers a batch norm removes every constant, and what is left of the bias's gradient is rounding.
"""
import math
import typing

from pool_rows_torch import Wrong
from spent_seconds import SPENT

OF_OUTPUT = OF_ROWS = 2
OF_PARAMETERS = 3
ACCEPTED_OF_ORACLE = 4e-3  # Ablate's own reference of small passes, rounded to bf16 once
ROWS = "x"  # instead of a parameter's name


def distance(a, b):
    return ((a.double() - b).norm() / b.norm()).item()


class Leaves:
    """What flash3d_torch.Weights has, as fp64 leaves; and rows `x`, or None."""

    def __init__(self, weights, x):
        self.weights, self.layers, self.named = weights, weights.layers, {}
        self.x = None if x is None else x.detach().requires_grad_()

    def kept(self, name, parts):
        if name not in self.named:
            self.named[name] = [part.detach().double().requires_grad_() for part in parts]
        return self.named[name]

    def linear(self, name):
        return self.kept(name, self.weights.linear(name))

    def norm(self, name):
        return self.kept(name, [self.weights.norm(name)])[0]

    def gradients_of(self, torch, out, out_gradient):
        """By name, as `leaves` of rivals."""
        tensors = {(name, part): of for name, parts in self.named.items() for part, of in zip(("weight", "bias"), parts)
                   if self.layers[name].has_bias or part == "weight"}
        if self.x is not None:
            tensors[ROWS, ""] = self.x
        found = dict(zip(tensors, torch.autograd.grad(out, list(tensors.values()), out_gradient.double())))
        gradients = {}
        for (name, part), of in found.items():
            if name == ROWS:
                gradients[ROWS] = of
            elif self.layers[name].kind == "linear":
                gradients[f"{name}.{part}"] = of
            else:
                gradients[f"{name}.weight"], gradients[f"{name}.bias"] = of[-2:]
        return gradients


class Pass(typing.NamedTuple):
    """`gradients`: by name; empty where nothing is trained."""
    out: typing.Any
    gradients: dict


def passed(torch, run, weights, x, out_gradient):
    """What `run(weights, x)` leaves; with gradients, where that of the output is given."""
    if out_gradient is None:
        return Pass(run(weights, x), {})
    leaves = Leaves(weights, x)
    out = run(leaves, leaves.x)
    return Pass(out.detach(), leaves.gradients_of(torch, out, out_gradient))


def scale_of(exact, name):
    """What an error of this gradient is measured by."""
    scale, layer = exact[name].norm().item(), name.removesuffix(".bias")
    weight = exact.get(f"{layer}.weight")
    if name == layer or weight is None or weight.dim() != 2:
        return scale
    return max(scale, weight.norm().item() / weight.shape[1] ** 0.5)


def errors_of(found, exact):
    """Of each gradient by name."""
    return {name: (found[name].double() - of).norm().item() / scale_of(exact, name) for name, of in exact.items()}


def error_of_all(found, exact):
    """Of all parameters together."""
    def norm(of):
        return math.sqrt(sum(of(name).square().sum().item() for name in exact if name != ROWS))
    return norm(lambda name: found[name].double() - exact[name]) / norm(lambda name: exact[name])


def check_gradients(found, exact, rounded):
    """The error of all parameters' gradients together; Wrong, where one is further off than is accepted."""
    for name, of in exact.items():
        if name not in found or found[name].shape != of.shape:
            raise Wrong(f"the gradient of {name} is missing, or has another shape")
    of_all, of_rounding, errors = error_of_all(rounded, exact), errors_of(rounded, exact), errors_of(found, exact)
    for name, error in errors.items():
        accepted = OF_ROWS * of_rounding[name] if name == ROWS else OF_PARAMETERS * max(of_all, of_rounding[name])
        if not error <= accepted:
            raise Wrong(f"the gradient of {name} is off by {error:.2e} of its norm, expected at most {accepted:.2e}")
    return error_of_all(found, exact)


def expect_numbers(torch, tensors):
    """Of each by name all elements."""
    for name, of in tensors.items():
        is_none = ~torch.isfinite(of)
        count = int(is_none.sum().item())
        if count > 0:
            first = torch.nonzero(is_none)[0].tolist()
            raise Wrong(f"{count} of {of.numel()} elements of {name} are not numbers, the first at {first}")


class Passes(typing.NamedTuple):
    exact: Pass
    rounded: Pass


class Checker:
    """Of what rivals return: `out`, and where they are trained `gradients` by name."""

    def __init__(self, torch, out_gradient):
        self.torch, self.out_gradient = torch, out_gradient

    @property
    def trains(self):
        return self.out_gradient is not None

    @property
    def passes(self):
        """What outputs are held to now; made where it is first asked for."""
        raise NotImplementedError

    def prepare(self):
        """Makes what needs no output: after a launch, the inputs might have changed."""
        raise NotImplementedError

    @property
    def exact(self):
        return self.passes.exact

    @property
    def rounded(self):
        return self.passes.rounded

    @SPENT.on("passes in fp64")
    def made(self, run_of, weights, x=None):
        """The passes `run_of(rounds)(weights, x)`. `x`: a block's rows, fp64."""
        return Passes(*(passed(self.torch, run_of(rounds), weights, x, self.out_gradient) for rounds in (False, True)))

    def rounding(self):
        """What rounding makes, as figures of a record."""
        figures = {"out_error_of_bf16": distance(self.rounded.out, self.exact.out)}
        if self.trains:
            figures["gradient_error_of_bf16"] = error_of_all(self.rounded.gradients, self.exact.gradients)
        return figures

    def error_of(self, found):
        """‖Δ‖ / ‖exact‖ of the output or of all gradients, whichever is further off; or Wrong."""
        out, exact = found["out"], self.exact.out
        if out.shape != exact.shape or out.dtype != self.torch.bfloat16:
            raise Wrong(f"expected bf16 {list(exact.shape)}, found {out.dtype} {list(out.shape)}")
        expect_numbers(self.torch, {"the output": out, **{f"the gradient of {name}": of
                                                          for name, of in found.get("gradients", {}).items()}})
        error, accepted = distance(out, exact), OF_OUTPUT * distance(self.rounded.out, exact)
        if not error <= accepted:
            raise Wrong(f"off by {error:.2e} of the norm, expected at most {accepted:.2e}, twice what bf16 makes")
        if not self.trains:
            return error
        return max(error, check_gradients(found["gradients"], self.exact.gradients, self.rounded.gradients))

    def expect_of_oracle(self, out, gradients):
        """That this pass is Ablate's, where Ablate's host computed one."""
        errors = {"output": distance(out, self.exact.out)}
        if self.trains:
            errors |= {f"gradient of {name}": of for name, of in errors_of(gradients, self.exact.gradients).items()}
        for what, error in errors.items():
            if not error <= ACCEPTED_OF_ORACLE:
                raise Wrong(f"the reference pass for rivals is off by {error:.2e} from Ablate's own {what}")
