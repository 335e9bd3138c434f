"""Flash3D and its blocks as a user who tunes writes them in PyTorch: bf16 weights, batch norms folded where a linear layer stands
in front, all sizes known beforehand and nothing that waits for the device. (PTv3 would be another such file: a class with
`forward`, which takes what is given and returns a dictionary of tensors, and a checker.)

Rows of a block stand in window order from its first norm to its projection, whose output goes back, so that the gathers move C
and not 3 · C channels; where a scope leaves buckets where they are, there is none. Padding takes part in attention, as in
Ablate: a point at the origin at the first level, zeros where pooling and unpooling write.
"""
import bucket_order_torch
import flash3d_layers
import pool_buckets_torch
import sdpa_torch

LAYER_EPSILON, BATCH_EPSILON = 1e-5, 1e-3


class Network:
    """A backbone on so many points, or a lone block on so many rows: sizes, and the names of layers."""

    def __init__(self, model, rows, window, bucket):
        self.model, self.window, self.bucket = model, window, bucket
        self.is_block = not model.decoder
        self.levels = [flash3d_layers.Level(rows, rows)] if self.is_block else flash3d_layers.levels_of(rows, window)
        self.layers = flash3d_layers.layers_of(model)
        self.places, self.matrix_elements, self.vector_elements = flash3d_layers.places_of(self.layers)

    @property
    def points(self):
        return self.levels[0].real

    def blocks(self, stages, name):
        """Of each level: (name, level, channels, scope) of its blocks."""
        return [[(f"{name}.{level}.{i}", level, stage.channels, scope) for i, scope in enumerate(stage.scopes)]
                for level, stage in enumerate(stages)]

    def encoder(self):
        return self.blocks(self.model.encoder, "encoder")

    def decoder(self):
        return self.blocks(self.model.decoder, "decoder")

    def attention(self, level, channels):
        heads = self.model.heads(channels)
        return sdpa_torch.AttentionShape(self.levels[level].rows // self.window, self.window, heads, channels // heads)

    def buckets(self, level, scope):
        """The buckets of all windows, or None where they stand in order already."""
        table = flash3d_layers.scope_table(self.levels[level].rows, self.window, self.bucket, scope)
        return None if table == sorted(table) else table


class Weights:
    """A network's parameters in Ablate's two blobs: bf16, batch norms folded, and fp32."""

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

    def affine(self, name):
        """A batch norm as a factor and a summand."""
        mean, variance, gamma, beta = self.norm(name)
        scale = gamma / (variance + BATCH_EPSILON).sqrt()
        return scale, beta - mean * scale


class Block:
    """A block's parameters and scope; `core` names its attention's."""

    def __init__(self, torch, network, weights, cores, where):
        name, level, channels, scope = where
        for norm in ("norm1", "norm2"):
            setattr(self, norm, [row.to(torch.bfloat16) for row in weights.norm(f"{name}.{norm}")])
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
        self.embed = [parameter.float() for parameter in weights.linear("embed")]
        self.leaf = weights.linear("leaf")
        self.down = [(weights.linear(f"down.{level}.linear"), weights.affine(f"down.{level}.norm"))
                     for level in range(flash3d_layers.LEVELS - 1)]
        self.up = [(weights.linear(f"up.{level}.down"), weights.linear(f"up.{level}.skip"))
                   for level in range(flash3d_layers.LEVELS - 1)]
        # Padding is made here: a point at the origin has the embedding's bias.
        padding = [level.rows - level.real for level in network.levels]
        self.origin = weights.linear("embed")[1].expand(padding[0], -1).contiguous()
        widest = max(stage.channels for stage in (*network.model.encoder, *network.model.decoder))
        self.zeros = [torch.zeros(rows * widest, dtype=torch.bfloat16, device=device) for rows in padding]
        self.padding = padding

    # Rows.

    def padded(self, rows, level):
        """To whole windows, with zeros."""
        padding, channels = self.padding[level], rows.shape[1]
        if padding == 0:
            return rows
        return self.torch.cat([rows, self.zeros[level][:padding * channels].view(padding, channels)])

    def moved(self, rows, buckets):
        """Whole buckets to where a table says."""
        return rows.view(-1, self.bucket * rows.shape[1]).index_select(0, buckets).view(rows.shape)

    def block(self, x, of):
        functional, width = self.functional, (of.channels,)
        rows = functional.layer_norm(x, width, *of.norm1, LAYER_EPSILON)
        if of.table is not None:
            rows = self.moved(rows, of.table)
        rows = self.attend(functional.linear(rows, *of.qkv), of.shape, of.core)
        rows = functional.linear(rows, *of.proj)
        if of.back is not None:
            rows = self.moved(rows, of.back)
        x = x + rows
        gate, up = functional.linear(functional.layer_norm(x, width, *of.norm2, LAYER_EPSILON), *of.fc1).chunk(2, dim=-1)
        return x + functional.linear(functional.silu(gate) * up, *of.fc2)

    def activated(self, x, layer):
        return self.functional.gelu(self.functional.linear(x, *layer))

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
        x = self.functional.linear(found["positions"][0].float(), *self.embed).bfloat16()
        x = self.torch.cat([x, self.origin])
        skipped = []
        for level, blocks in enumerate(self.encoder):
            for of in blocks:
                x = self.block(x, of)
            if level + 1 == len(self.encoder):
                break
            projection, (scale, shift) = self.down[level]
            skipped.append(self.functional.linear(x, *projection))
            pooled = self.pools[level].mean_of_runs(skipped[-1], found["member"][level]).bfloat16()
            x = self.padded(self.functional.gelu(pooled.float() * scale + shift).bfloat16(), level + 1)
        x = self.functional.linear(x, *self.leaf)
        for level in range(len(self.decoder) - 1, -1, -1):
            if level + 1 < len(self.decoder):
                down, skip = self.up[level]
                below = self.activated(x, down)[found["cluster"][level]]
                x = self.padded(self.activated(skipped[level], skip)[:self.real[level]] + below, level)
            for of in self.decoder[level]:
                x = self.block(x, of)
        place = self.torch.empty_like(found["source"]).scatter_(0, found["source"], self.row)
        return {"out": x[place], **found}

