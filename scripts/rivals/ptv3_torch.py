"""PTv3 and its blocks as a user who tunes writes them in PyTorch: bf16 weights, batch norms folded where a linear layer
precedes, all sizes known beforehand, padding by arithmetic, and nothing that waits for the device (flash3d_torch.py has Flash3D).

Codes and neighbors: voxel_index_torch.py. Pools: flags of the orders that are there (pool_steps_torch.py). The layer norm
before attention is on rows in place; then they are gathered into windows, so that C and not 3 · C channels move, and
come back after the projection.
"""
import functools

import networks
import pool_steps_torch
import ptv3_layers
import sparse_rows_torch
import voxel_index_torch
from flash3d_layers import LEVELS
from flash3d_torch import LAYER_EPSILON
from ptv3_layers import HALVED, POSITION_KERNEL, STEM_KERNEL


class Network(networks.Network):
    """A backbone on these voxels, or a lone block on so many rows. `depth`: bits of a cell's coordinate."""

    def __init__(self, model, rows, pairs, window, depth=0, stem_pairs=0):
        super().__init__(model, ptv3_layers.levels_of(rows, pairs, window), ptv3_layers.layers_of(model), window)
        self.depth, self.stem_pairs = depth, stem_pairs

    def where_of(self, stage):
        """The curve."""
        return [i % self.model.curves for i in range(stage.depth)]

    def convolution(self, level, channels):
        return sparse_rows_torch.ConvolutionShape(self.levels[level].real, self.levels[level].pairs, channels)

    def convolutions(self):
        """(level, channels) of each block that has one."""
        return [(level, channels) for _, level, channels, _ in self.all_blocks()] if self.model.has_positions else []

    def pooling(self, torch, level, inputs):
        """From this level to the next."""
        sizes = {"points": self.levels[level].real, "clusters": self.levels[level + 1].real, "reduce": "max", "shift": HALVED,
                 "depth": self.depth - HALVED * level, "curves": self.model.curves, "batch": 1}
        return pool_steps_torch.GridPooling(torch, sizes, inputs)


class Block:
    """A block's parameters; `core` names its attention's, `form` its convolution's."""

    def __init__(self, network, weights, cores, form_of, where):
        name, level, channels, self.curve = where
        self.level, self.channels, self.shape = level, channels, network.attention(level, channels)
        self.core = cores.core_of(self.shape)
        self.form = form_of(level, channels) if network.model.has_positions else None
        norms, linears = ["norm1", "norm2"], ["qkv", "proj", "fc1", "fc2"]
        if self.form:
            norms.append("cpe.norm")
            linears.append("cpe.linear")
            matrix, self.bias = weights.linear(f"{name}.cpe.conv")
            self.matrix = sparse_rows_torch.regrouped(matrix, channels) if self.form == "grouped" else matrix
        for norm in norms:
            setattr(self, attribute(norm), weights.layer_norm(f"{name}.{norm}"))
        for linear in linears:
            setattr(self, attribute(linear), weights.linear(f"{name}.{linear}"))


def attribute(layer):
    return layer.replace("cpe.", "position_")


class Ptv3:
    """`form_of_shape`: sparse_rows_torch's, of a convolution; `attend` is sdpa_torch's, as a function of rows, shape and core;
    `grouped` sparse_rows_torch's, as one of rows, lists and parameters."""

    def __init__(self, torch, network, weights, cores, form_of_shape, attend, grouped):
        self.torch, self.functional, self.attend, self.grouped = torch, torch.nn.functional, attend, grouped
        self.network, self.levels, self.curves = network, network.levels, network.model.curves
        self.columns = functools.partial(sparse_rows_torch.columns, torch)
        device = weights.matrices.device

        def form_of(level, channels):
            return form_of_shape(network.convolution(level, channels))

        def blocks(levels):
            return [[Block(network, weights, cores, form_of, where) for where in level] for level in levels]

        self.encoder = blocks(network.encoder())
        if network.is_block:
            return
        self.decoder = blocks(network.decoder())
        self.forms = [{block.form for level in (*self.encoder, *self.decoder) for block in level if block.level == number}
                      for number in range(LEVELS)]
        self.codes = [voxel_index_torch.CurveCodes(torch, network.depth - HALVED * level, self.curves, device)
                      for level in range(LEVELS)]
        self.stem_neighbors = voxel_index_torch.Neighbors(torch, self.codes[0], STEM_KERNEL, device)
        self.neighbors = [voxel_index_torch.Neighbors(torch, codes, POSITION_KERNEL, device) for codes in self.codes]
        # Slots past the last row repeat the place a window before.
        slots = [torch.arange(level.slots, device=device) for level in self.levels]
        self.places = [of.where(of < level.real, of - network.window) for of, level in zip(slots, self.levels)]
        self.rows = torch.arange(self.levels[0].real, device=device).repeat(self.curves, 1)
        self.stem, self.stem_norm = weights.linear("stem.conv")[0], weights.batch_norm("stem.norm")
        self.down = [(weights.linear(f"down.{level}.linear"), weights.batch_norm(f"down.{level}.norm"))
                     for level in range(LEVELS - 1)]
        self.up = [(weights.activated(f"up.{level}.down"), weights.activated(f"up.{level}.skip"))
                   for level in range(LEVELS - 1)]

    # The index.

    def ordered(self, cells):
        code = self.codes[0].of_cells(cells)
        order = self.torch.sort(code, dim=1).indices
        return {"code": code, "order": order, "inverse": self.torch.empty_like(order).scatter_(1, order, self.rows)}

    def map(self, level, at, sorted_codes):
        """Of a level's convolutions, by form."""
        of = (at["cell"], sorted_codes, at["order"][0])
        made, neighbors = {}, self.neighbors[level]
        if "columns" in self.forms[level]:
            made["table"] = neighbors.table(*of)
        if "grouped" in self.forms[level]:
            made |= neighbors.lists(*of, self.levels[level].pairs)
        return made

    def index(self, given):
        """Of each level its codes, orders, cells and positions, its map, and by curve the row that each slot takes; of each pool
        what pool_steps_torch finds; the stem's table."""
        at = {"cell": given["cells"], "position": given["positions"], **self.ordered(given["cells"])}
        levels, pools = [], []
        for level in range(LEVELS):
            sorted_codes = at["code"][0][at["order"][0]]
            if level == 0:
                stem = self.stem_neighbors.table(at["cell"], sorted_codes, at["order"][0])
            levels.append({**at, **self.map(level, at, sorted_codes), "slots": at["order"][:, self.places[level]]})
            if level + 1 < LEVELS:
                inputs = {"codes": at["code"], "orders": at["order"], "cells": at["cell"], "positions": at["position"]}
                at = self.network.pooling(self.torch, level, inputs).index_flags()
                pools.append(at)
        return {"levels": levels, "pools": pools, "stem": stem}

    # Rows.

    def convolved(self, x, of, found):
        if of.form == "columns":
            return self.columns(x, found["table"], of.matrix, of.bias)
        return self.grouped(x, found, *of.matrix, of.bias)

    def to_slots(self, x, slots, rows):
        """`slots`: the row of each slot; `rows`: the slot of each row."""
        return x.index_select(0, slots)

    def to_rows(self, x, slots, rows):
        return x.index_select(0, rows)

    def block(self, x, of, found, to_slots=None, to_rows=None):
        """`to_slots`, `to_rows`: None where windows are in the rows' order."""
        functional, width = self.functional, (of.channels,)
        if of.form:
            rows = functional.linear(self.convolved(x, of, found), *of.position_linear)
            x = x + functional.layer_norm(rows, width, *of.position_norm, LAYER_EPSILON)
        rows = functional.layer_norm(x, width, *of.norm1, LAYER_EPSILON)
        if to_slots is not None:
            rows = self.to_slots(rows, to_slots, to_rows)
        rows = functional.linear(self.attend(functional.linear(rows, *of.qkv), of.shape, of.core), *of.proj)
        x = x + (rows if to_rows is None else self.to_rows(rows, to_slots, to_rows))
        hidden = functional.gelu(functional.linear(functional.layer_norm(x, width, *of.norm2, LAYER_EPSILON), *of.fc1))
        return x + functional.linear(hidden, *of.fc2)

    def activated(self, x, layer, real):
        return self.functional.gelu(self.functional.linear(x, *layer))

    def normed(self, x, norm):
        scale, shift = norm
        return self.functional.gelu(x.float() * scale + shift).bfloat16()

    def reduced(self, x, cluster, clusters):
        x = x.float()
        at = cluster[:, None].expand_as(x)
        return x.new_zeros((clusters, x.shape[1])).scatter_reduce_(0, at, x, "amax", include_self=False)

    def features(self, x, index):
        """bf16 rows, in the voxels' order."""
        x = self.normed(self.columns(x, index["stem"], self.stem, None), self.stem_norm)
        skipped = []
        for level, blocks in enumerate(self.encoder):
            x = self.blocks(x, blocks, index["levels"][level])
            if level + 1 == LEVELS:
                break
            skipped.append(x)
            projection, norm = self.down[level]
            projected = self.functional.linear(x, *projection)
            x = self.normed(self.reduced(projected, index["pools"][level]["cluster"], self.levels[level + 1].real), norm)
        for level in reversed(range(LEVELS - 1)):
            down, skip = self.up[level]
            below = self.activated(x, down, self.levels[level + 1].real).index_select(0, index["pools"][level]["cluster"])
            x = self.activated(skipped[level], skip, self.levels[level].real) + below
            x = self.blocks(x, self.decoder[level], index["levels"][level])
        return x

    def blocks(self, x, blocks, at):
        for of in blocks:
            x = self.block(x, of, at, at["slots"][of.curve], at["inverse"][of.curve])
        return x

    def of_block(self, given):
        return {"out": self.block(given["x"], self.encoder[0][0], {}, given.get("to_slots"), given.get("to_rows"))}

    def forward(self, given):
        """Of a block's rows, or of voxels: bf16 rows in their order, and the index."""
        return self.forward_by(lambda function: function)(given)

    def forward_by(self, compiled):
        """The same by compiled features; the index is left as it is."""
        if self.network.is_block:
            return compiled(self.of_block)
        features = compiled(self.features)

        def forward(given):
            index = self.index(given)
            return {"out": features(given["x"], index), **index}
        return forward
