"""What the published forms of both families have in common (flash3d_published_torch.py, ptv3_published_torch.py): fp32 parameters
by name, under autocast to bf16, and batch norms in their place.
"""
from flash3d_torch import BATCH_EPSILON, BATCH_MOMENTUM, LAYER_EPSILON
from pool_rows_torch import Wrong

SAME_WEIGHT = 2.0 ** -7  # a folded weight's rounding to bf16, where fp32 came out another way


class Parameters:
    """As a state_dict of the published layers would have them, fp32, by name: Ablate's own draws (kernels/network/weights.cpp)."""

    def __init__(self, bench, network, seed):
        self.bench, self.seed, self.named, self.layers = bench, seed, {}, network.layers
        for layer in self.layers:
            self.named[layer.name] = self.linear(layer) if layer.kind == "linear" else self.norm(layer)

    def drawn(self, name, shape, center, reach):
        fp32 = self.bench.torch.float32
        center, reach = (self.bench.torch.tensor(x, dtype=fp32, device=self.bench.device) for x in (center, reach))
        return center + self.bench.random_floats(self.seed, name, shape) * reach

    def linear(self, layer):
        reach, torch = 1 / layer.inputs ** 0.5, self.bench.torch
        bias = self.drawn(f"{layer.name}.bias", (layer.outputs,), 0, reach) if layer.has_bias else \
            torch.zeros(layer.outputs, dtype=torch.float32, device=self.bench.device)
        return [self.drawn(f"{layer.name}.weight", (layer.outputs, layer.inputs), 0, reach), bias]

    def norm(self, layer):
        """Gamma and beta, of a batch norm after mean and variance."""
        of = (layer.outputs,)
        statistics = [] if layer.kind == "norm" else [self.drawn(f"{layer.name}.running_mean", of, 0, 0.1),
                                                      self.drawn(f"{layer.name}.running_var", of, 1, 0.5)]
        return [*statistics, self.drawn(f"{layer.name}.weight", of, 1, 0.5), self.drawn(f"{layer.name}.bias", of, 0, 0.1)]

    def leaves(self):
        """Of autograd, by name; what a batch norm has counted is none."""
        found = {}
        for layer in self.layers:
            *_, weight, bias = self.named[layer.name]
            found[f"{layer.name}.weight"] = weight
            if layer.has_bias:
                found[f"{layer.name}.bias"] = bias
        for of in found.values():
            of.requires_grad_()
        return found

    def hold_to(self, weights, folds):
        """Wrong, where these are not the parameters of Ablate's blobs. `folds`: whether batch norms are folded there."""
        torch = self.bench.torch
        for layer in self.layers:
            if layer.kind != "linear":
                same = torch.equal(torch.stack(self.named[layer.name]), weights.norm(layer.name))
            elif not (folds and layer.folded):
                same = all(torch.equal(mine.bfloat16(), its)
                           for mine, its in zip(self.named[layer.name], weights.linear(layer.name)))
            else:
                same = all(bool(((mine - its.float()).abs() <= SAME_WEIGHT * its.float().abs() + 1e-6).all())
                           for mine, its in zip(self.folded(layer), weights.linear(layer.name)))
            if not same:
                raise Wrong(f"{layer.name}: other parameters than Ablate's")

    def folded(self, layer):
        matrix, bias = self.named[layer.name]
        mean, variance, gamma, beta = self.named[layer.folded]
        scale = gamma / (variance + BATCH_EPSILON).sqrt()
        return matrix * scale[:, None], (bias - mean) * scale + beta


class PublishedLayers:
    """A network's layers by name. `attend` is sdpa_torch's, as a function of rows, shape and core; `trains`: batch norms are of
    the rows that are there."""

    def __init__(self, torch, network, parameters, cores, attend, trains):
        self.torch, self.functional, self.network = torch, torch.nn.functional, network
        self.attend, self.trains = attend, trains
        self.named, self.device = parameters.named, parameters.bench.device
        self.cores = {(level, channels): cores.core_of(network.attention(level, channels))
                      for _, level, channels, _ in network.all_blocks()}

    def linear(self, x, name):
        return self.functional.linear(x, *self.named[name])

    def norm(self, x, name):
        return self.functional.layer_norm(x, x.shape[1:], *self.named[name], LAYER_EPSILON)

    def batch_norm(self, x, name):
        return self.functional.batch_norm(x, *self.named[name], training=self.trains, momentum=BATCH_MOMENTUM, eps=BATCH_EPSILON)

    def activated(self, x, name, real):
        """A layer's first rows, which are no padding, by batch norm and GELU."""
        return self.functional.gelu(self.batch_norm(self.linear(x, name)[:real], f"{name}_norm"))

    def attended(self, qkv, level, channels):
        return self.attend(qkv, self.network.attention(level, channels), self.cores[level, channels])

    def forward(self, given):
        with self.torch.autocast(self.torch.device(self.device).type, dtype=self.torch.bfloat16):
            return self.whole(given)
