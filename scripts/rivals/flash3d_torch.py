"""Flash3D and its blocks as a user who tunes writes them in PyTorch: bf16 weights, batch norms folded where a linear layer
precedes, all sizes known beforehand and nothing that waits for the device (ptv3_torch.py has PTv3).

Rows of a block are in window order from its first norm to its projection, whose output goes back, so that the gathers move C
and not 3 · C channels; where a scope leaves buckets where they are, there is none. Padding takes part in attention, as in
Ablate: a point at the origin at the first level, zeros where pooling and unpooling write.
"""
import bucket_order_torch
import flash3d_layers
import networks
import pool_buckets_torch

LAYER_EPSILON, BATCH_EPSILON, BATCH_MOMENTUM = 1e-5, 1e-3, 0.01


class Network(networks.Network):
    """A backbone on so many points, or a lone block on so many rows."""

    def __init__(self, model, rows, window, bucket):
        levels = flash3d_layers.levels_of(rows, window) if model.decoder else [flash3d_layers.Level(rows, rows)]
        super().__init__(model, levels, flash3d_layers.layers_of(model), window)
        self.bucket = bucket

    def where_of(self, stage):
        return stage.scopes

    def buckets(self, level, scope):
        """The buckets of all windows, or None where they are in order already."""
        table = flash3d_layers.scope_table(self.levels[level].rows, self.window, self.bucket, scope)
        return None if table == sorted(table) else table


class Weights:
    """A network's parameters in Ablate's two blobs: bf16, batch norms folded, and fp32. None of them is a leaf of autograd."""

    leaves = {}

    def __init__(self, network, matrices, vectors):
        expected, found = (network.matrix_elements, network.vector_elements), (matrices.numel(), vectors.numel())
        if expected != found:
            raise ValueError(f"expected blobs of {expected} elements, found {found}")
        self.matrices, self.vectors, self.places = matrices, vectors, network.places
        self.layers = {layer.name: layer for layer in network.layers}

    def linear(self, name):
        """Matrix [outputs][inputs] and bias, bf16."""
        layer, at = self.layers[name], self.places[name]
        matrix = self.matrices[at.matrix:at.matrix + layer.inputs * layer.outputs].view(layer.outputs, layer.inputs)
        return matrix.clone(), self.matrices[at.bias:at.bias + layer.outputs].clone()

    def norm(self, name):
        """Of a layer norm gamma and beta, of a batch norm mean, variance, gamma and beta: fp32 [2 or 4][outputs]."""
        layer, at = self.layers[name], self.places[name]
        rows = 2 if layer.kind == "norm" else 4
        return self.vectors[at.vectors:at.vectors + rows * layer.outputs].view(rows, layer.outputs)

    # As the forms below take them.

    def layer_norm(self, name):
        return [row.to(self.matrices.dtype) for row in self.norm(name)]

    def batch_norm(self, name):
        """As a factor and a summand."""
        mean, variance, gamma, beta = self.norm(name)
        scale = gamma / (variance + BATCH_EPSILON).sqrt()
        return scale, beta - mean * scale

    def activated(self, name):
        """A layer that batch norm and GELU follow: the norm is in it already."""
        return self.linear(name)


class Block:
    """A block's parameters and scope; `core` names its attention's."""

    def __init__(self, torch, network, weights, cores, where):
        name, level, channels, scope = where
        for norm in ("norm1", "norm2"):
            setattr(self, norm, weights.layer_norm(f"{name}.{norm}"))
        for linear in ("qkv", "proj", "fc1", "fc2"):
            setattr(self, linear, weights.linear(f"{name}.{linear}"))
        self.channels, self.shape = channels, network.attention(level, channels)
        self.core = cores.core_of(self.shape)
        self.table = self.back = None
        table = network.buckets(level, scope)
        if table is not None:
            self.table = torch.tensor(table, device=weights.matrices.device)
            self.back = torch.argsort(self.table)


class Flash3D:
    """`attend` is sdpa_torch's, as a function of rows, shape and core."""

    def __init__(self, torch, network, weights, cores, attend, is_cut=True):
        self.torch, self.functional, self.attend = torch, torch.nn.functional, attend
        self.bucket, self.points = network.bucket, network.points
        device = weights.matrices.device

        def blocks(levels):
            return [[Block(torch, network, weights, cores, where) for where in level] for level in levels]

        self.encoder = blocks(network.encoder())
        if network.is_block:
            return
        self.decoder = blocks(network.decoder())
        self.real = [level.real for level in network.levels]
        self.order = bucket_order_torch.order_of(torch, self.points, network.bucket, device, is_cut)
        self.pools = [pool_buckets_torch.BucketIndex(torch, real, flash3d_layers.POOLED_ROWS, device)
                      for real in self.real[:-1]]
        self.row = torch.arange(self.points, device=device)
        self.embed, self.leaf = weights.linear("embed"), weights.linear("leaf")
        self.down = [(weights.linear(f"down.{level}.linear"), weights.batch_norm(f"down.{level}.norm"))
                     for level in range(flash3d_layers.LEVELS - 1)]
        self.up = [(weights.activated(f"up.{level}.down"), weights.activated(f"up.{level}.skip"))
                   for level in range(flash3d_layers.LEVELS - 1)]
        padding = [level.rows - level.real for level in network.levels]
        widest = max(stage.channels for stage in (*network.model.encoder, *network.model.decoder))
        self.zeros = [torch.zeros(rows * widest, dtype=torch.bfloat16, device=device) for rows in padding]
        self.padding = padding

    # Rows.

    def embedded(self, positions):
        """In fp32; padding is a point at the origin, which has the bias."""
        matrix, bias = self.embed
        rows = self.functional.linear(positions.float(), matrix.float(), bias.float()).bfloat16()
        return self.torch.cat([rows, bias.expand(self.padding[0], -1)])

    def padded(self, rows, level):
        """To whole windows, with zeros."""
        padding, channels = self.padding[level], rows.shape[1]
        if padding == 0:
            return rows
        return self.torch.cat([rows, self.zeros[level][:padding * channels].view(padding, channels)])

    def moved(self, rows, buckets, back):
        """Whole buckets to where a table says; `back`: the table that undoes it."""
        return rows.view(-1, self.bucket * rows.shape[1]).index_select(0, buckets).view(rows.shape)

    def block(self, x, of):
        functional, width = self.functional, (of.channels,)
        rows = functional.layer_norm(x, width, *of.norm1, LAYER_EPSILON)
        if of.table is not None:
            rows = self.moved(rows, of.table, of.back)
        rows = self.attend(functional.linear(rows, *of.qkv), of.shape, of.core)
        rows = functional.linear(rows, *of.proj)
        if of.back is not None:
            rows = self.moved(rows, of.back, of.table)
        x = x + rows
        gate, up = functional.linear(functional.layer_norm(x, width, *of.norm2, LAYER_EPSILON), *of.fc1).chunk(2, dim=-1)
        return x + functional.linear(functional.silu(gate) * up, *of.fc2)

    def activated(self, x, layer, real):
        """The first rows, which are no padding."""
        return self.functional.gelu(self.functional.linear(x, *layer))[:real]

    def normed(self, x, norm):
        scale, shift = norm
        return self.functional.gelu(x.float() * scale + shift).bfloat16()

    def pooled(self, x, level, found):
        """Means of clusters."""
        return self.pools[level].mean_of_runs(x, found["member"][level]).bfloat16()

    def unpooled(self, x, level, found):
        return x[found["cluster"][level]]

    def restored(self, x, source):
        """Rows in the points' order."""
        place = self.torch.empty_like(source).scatter_(0, source, self.row)
        return x[place]

    def index(self, coordinates):
        """The point of each row; by level the rows' coordinates, fp16, without padding, and the clusters to the next."""
        source = self.order(coordinates)
        found = {"source": source, "positions": [coordinates[source]], "member": [], "cluster": []}
        for pool in self.pools:
            of = pool.index(found["positions"][-1])
            for name in ("member", "cluster"):
                found[name].append(of[name])
            found["positions"].append(of["position"])
        return found

    def forward(self, given):
        """Of a block's rows, or of points: bf16 rows in their order, and the index."""
        if len(self.encoder) == 1:
            return {"out": self.block(given, self.encoder[0][0])}
        found = self.index(given)
        x = self.embedded(found["positions"][0])
        skipped = []
        for level, blocks in enumerate(self.encoder):
            for of in blocks:
                x = self.block(x, of)
            if level + 1 == len(self.encoder):
                break
            projection, norm = self.down[level]
            skipped.append(self.functional.linear(x, *projection))
            x = self.padded(self.normed(self.pooled(skipped[-1], level, found), norm), level + 1)
        x = self.functional.linear(x, *self.leaf)
        for level in range(len(self.decoder) - 1, -1, -1):
            if level + 1 < len(self.decoder):
                down, skip = self.up[level]
                below = self.unpooled(self.activated(x, down, self.real[level + 1]), level, found)
                x = self.padded(self.activated(skipped[level], skip, self.real[level]) + below, level)
            for of in self.decoder[level]:
                x = self.block(x, of)
        return {"out": self.restored(x, found["source"]), **found}
