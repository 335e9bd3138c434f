"""A pass of Flash3D in fp64 on an index that is given, after oracles/backbone/reference.cpp: what the outputs of rivals are held
to. Each is held to the pass on its own index, which is checked first: equal keys may be in any order, and then other tokens
attend to each other and other rows are pooled. How far off they may be: exact_passes_torch.py.
"""
import importlib

import bucket_order_torch
import exact_passes_torch
import flash3d_layers
import pool_buckets_torch
from flash3d_torch import BATCH_EPSILON, LAYER_EPSILON
from pool_rows_torch import Wrong

MOST_SCORES = 1 << 27  # fp64 at once
KEPT_PASSES = 4  # by index


class ExactPass:
    """`rounds`: to bf16, wherever PyTorch stores a tensor, a gradient, too; `trains`: batch norms are of the rows that are there,
    and not folded."""

    def __init__(self, torch, network, weights, rounds, trains=False):
        self.torch, self.functional = torch, torch.nn.functional
        self.network, self.weights, self.rounds, self.trains = network, weights, rounds, trains

    def stored(self, x):
        return x.bfloat16().double() if self.rounds else x

    def linear(self, x, name):
        matrix, bias = self.weights.linear(name)
        return self.stored(self.functional.linear(x, matrix.double(), bias.double()))

    def norm(self, x, name):
        gamma, beta = self.stored(self.weights.norm(name).double())
        return self.stored(self.functional.layer_norm(x, x.shape[1:], gamma, beta, LAYER_EPSILON))

    def attention(self, qkv, level, channels, scope):
        torch, shape = self.torch, self.network.attention(level, channels)
        table = flash3d_layers.scope_table(qkv.shape[0], self.network.window, self.network.bucket, scope)
        buckets = torch.tensor(table, device=qkv.device)[:, None] * self.network.bucket
        windows = (buckets + torch.arange(self.network.bucket, device=qkv.device)).view(-1, shape.window)
        return self.attention_in(windows, qkv, shape)

    def attention_in(self, windows, qkv, shape):
        """Within windows of these rows, [windows][window]."""
        torch, channels = self.torch, shape.heads * shape.width
        out = torch.empty((qkv.shape[0], channels), dtype=qkv.dtype, device=qkv.device)
        at_once = max(1, MOST_SCORES // shape.window ** 2)
        for rows in windows:
            q, k, v = qkv[rows].view(shape.window, 3, shape.heads, shape.width).permute(1, 2, 0, 3)
            parts = [self.attended_again(*(of[first:first + at_once] for of in (q, k, v)))
                     for first in range(0, shape.heads, at_once)]
            out[rows] = torch.cat(parts).transpose(0, 1).reshape(shape.window, channels)
        return self.stored(out)

    def attended_again(self, *of):
        """Once more for gradients, for which all scores would be kept otherwise."""
        if not self.trains:
            return self.attended(*of)
        again = importlib.import_module("torch.utils.checkpoint").checkpoint
        return again(self.attended, *of, use_reentrant=False, preserve_rng_state=False)

    def attended(self, q, k, v):
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        p = (scores - scores.detach().amax(-1, keepdim=True)).exp_()
        return self.stored(p) @ v / p.sum(-1, keepdim=True)

    def block(self, x, where):
        name, level, channels, scope = where
        qkv = self.linear(self.norm(x, f"{name}.norm1"), f"{name}.qkv")
        x = self.stored(x + self.linear(self.attention(qkv, level, channels, scope), f"{name}.proj"))
        gate, up = self.linear(self.norm(x, f"{name}.norm2"), f"{name}.fc1").chunk(2, dim=-1)
        hidden = self.stored(self.stored(self.functional.silu(gate)) * up)
        return self.stored(x + self.linear(hidden, f"{name}.fc2"))

    def batch_normed(self, x, name):
        """With GELU."""
        mean, variance, gamma, beta = self.weights.norm(name).double()
        statistics = (None, None) if self.trains else (mean, variance)
        normed = self.functional.batch_norm(x, *statistics, gamma, beta, training=self.trains, eps=BATCH_EPSILON)
        return self.stored(self.functional.gelu(self.stored(normed) if self.trains else normed))

    def activated(self, x, name, real):
        rows = self.linear(x, name)[:real]
        return self.batch_normed(rows, f"{name}_norm") if self.trains else self.stored(self.functional.gelu(rows))

    def padded(self, rows, level):
        return self.functional.pad(rows, (0, 0, 0, self.network.levels[level].rows - rows.shape[0]))

    def pooled(self, x, level, cluster):
        """Means of clusters, batch norm, GELU."""
        torch, to = self.torch, self.network.levels[level + 1].real
        sums = x.new_zeros((to, x.shape[1])).index_add_(0, cluster, x[:self.network.levels[level].real])
        size = torch.zeros(to, dtype=x.dtype, device=x.device).index_add_(0, cluster, torch.ones_like(cluster, dtype=x.dtype))
        rows = self.stored(sums / size[:, None])
        return self.padded(self.batch_normed(rows, f"down.{level}.norm"), level + 1)

    def whole(self, index):
        """Rows in the points' order."""
        network = self.network
        x = self.stored(self.linear(self.padded(index["positions"][0].double(), 0), "embed"))
        skipped = []
        for level, blocks in enumerate(network.encoder()):
            for where in blocks:
                x = self.block(x, where)
            if level + 1 < flash3d_layers.LEVELS:
                skipped.append(self.linear(x, f"down.{level}.linear"))
                x = self.pooled(skipped[-1], level, index["cluster"][level])
        x = self.linear(x, "leaf")
        for level, blocks in reversed(list(enumerate(network.decoder()))):
            if level + 1 < flash3d_layers.LEVELS:
                down = self.activated(x, f"up.{level}.down", network.levels[level + 1].real)
                rows = self.activated(skipped[level], f"up.{level}.skip", network.levels[level].real) + \
                    down[index["cluster"][level]]
                x = self.padded(self.stored(rows), level)
            for where in blocks:
                x = self.block(x, where)
        out = self.torch.empty_like(x[:network.points])
        out[index["source"]] = x[:network.points]
        return out


class Checker(exact_passes_torch.Checker):
    """On what is given: a block's rows, or coordinates of points."""

    def __init__(self, torch, network, weights, given, is_cut=True, out_gradient=None):
        super().__init__(torch, out_gradient)
        self.network, self.weights, self.given, self.is_cut = network, weights, given, is_cut
        self.kept = []  # (index, passes): the one that was asked for last at the end

    @property
    def passes(self):
        """Of the index that was held to last."""
        self.prepare()
        return self.kept[-1][1]

    def prepare(self):
        """A block's rows have no index."""
        if self.network.is_block:
            self.hold_to_index({})

    def check_index(self, found):
        bucket_order_torch.check(self.torch, self.given, found["source"], self.is_cut)
        positions = found["positions"]
        if not self.torch.equal(positions[0], self.given[found["source"]]):
            raise Wrong("order: a row does not have the coordinates of its point")
        for level in range(flash3d_layers.LEVELS - 1):
            pool = pool_buckets_torch.BucketIndex(self.torch, self.network.levels[level].real, flash3d_layers.POOLED_ROWS,
                                                  self.given.device)
            of = {name: found[name][level] for name in ("member", "cluster")}
            pool.check(positions[level], {"start": pool.start, "position": positions[level + 1], **of})

    def hold_to_index(self, index):
        """Once for each: forms take turns, and equal keys may be in another order in each."""
        number = next((i for i, (of, _) in enumerate(self.kept) if self.is_same(index, of)), None)
        if number is not None:
            self.kept.append(self.kept.pop(number))
            return
        # Rivals may overwrite theirs.
        own = {name: [part.clone() for part in parts] for name, parts in tensors_of(index).items()}
        self.kept = [*self.kept[-KEPT_PASSES + 1:], (own, self.passes_on(index))]

    def passes_on(self, index):
        is_block = self.network.is_block

        def run_of(rounds):
            def run(weights, x):
                a_pass = ExactPass(self.torch, self.network, weights, rounds, self.trains)
                return a_pass.block(x, self.network.encoder()[0][0]) if is_block else a_pass.whole(index)
            return run
        return self.made(run_of, self.weights, self.given.double() if is_block else None)

    def is_same(self, index, of):
        return all(self.torch.equal(a, b) for name, parts in tensors_of(index).items() for a, b in zip(parts, of[name]))

    def error(self, found):
        index = {name: of for name, of in found.items() if name not in ("out", "gradients")}
        if not self.network.is_block:
            self.check_index(index)
        self.hold_to_index(index)
        return self.error_of(found)

    def hold_to_oracle(self, index, out, gradients=None):
        """On its own index."""
        self.hold_to_index(index)
        self.expect_of_oracle(out, gradients)


def tensors_of(index):
    return {name: of if isinstance(of, list) else [of] for name, of in index.items()}
