"""What pooling does with rows in PyTorch once their clusters are known, and what the outputs are held to: the same for
clusters by grid (pool_steps_torch.py) and within buckets (pool_buckets_torch.py).
"""
EPSILON = 1e-3
REDUCTIONS = {"mean": "mean", "sum": "sum", "min": "amin", "max": "amax"}


class Wrong(Exception):
    """What differs, and where."""


def worst_of(name, found, exact, accepted):
    """The greatest error of an element, in what is accepted; Wrong where it is more."""
    worst = ((found - exact).abs() / accepted).max().item()
    if not worst <= 1:
        raise Wrong(f"{name}: an element is off by {worst:.2g} times what is accepted")
    return worst


class Pooling:
    """A workload of pool. `inputs`: tensors by the names of Ablate's buffers; `shape` as pool_torch.shape_of gives it."""

    def __init__(self, torch, shape, inputs):
        self.torch, self.shape, self.inputs = torch, shape, inputs
        self.points, self.clusters, self.reduce = shape["points"], shape["clusters"], shape["reduce"]

    def finished(self, pooled):
        mean, variance, gamma, beta = self.inputs["norm"]
        functional = self.torch.nn.functional
        return functional.gelu(functional.batch_norm(pooled.float(), mean, variance, gamma, beta, eps=EPSILON)).bfloat16()

    def unpooled(self, cluster):
        return self.inputs["skipped"] + self.inputs["down"][cluster]

    # What is compared. `exact_cluster`, each row's cluster, is the class's own.

    def ulp(self, exact):
        """Of bf16."""
        exponents = self.torch.frexp(exact.abs().clamp_min(2.0 ** -126))[1] - 1
        return self.torch.ldexp(self.torch.ones_like(exact), exponents - 7)

    def exact_reduced(self):
        features = self.inputs["features"].double()
        to = features.new_zeros((self.clusters, features.shape[1]))
        at = self.exact_cluster()[:, None].expand_as(features)
        return to.scatter_reduce_(0, at, features, REDUCTIONS[self.reduce], include_self=False)

    def check_pooled(self, found):
        exact = self.exact_reduced()
        return worst_of("pooled", found.double(), exact, self.ulp(exact) + 1e-6)

    def check_finished(self, found):
        x = self.exact_reduced()
        mean, variance, gamma, beta = self.inputs["norm"].double()
        scale = gamma / (variance + EPSILON).sqrt()
        shift = beta - mean * scale
        exact = self.torch.nn.functional.gelu(x * scale + shift)
        of_x = 1.13 * scale.abs() * (self.ulp(x) + 1e-6)
        accepted = of_x + self.ulp(exact) + 2.0 ** -21 * (1 + (x * scale).abs() + shift.abs())
        return worst_of("finished", found.double(), exact, accepted)

    def check_unpooled(self, found):
        exact = self.inputs["skipped"].double() + self.inputs["down"].double()[self.exact_cluster()]
        return worst_of("up", found.double(), exact, self.ulp(exact))
