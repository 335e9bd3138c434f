"""PTv3's steps as the published code takes them (specification: backbone §3, flash3d §3), rewritten in PyTorch: parameters in
fp32 under autocast to bf16, batch norms in their place, Hilbert's codes bit by bit, four argsorts, unique codes, an index a
block, padding by slices at places that the device knows; and the host waiting where the published host does: for the voxels'
batches, the greatest coordinate, two constants a Hilbert curve, the stem's pairs; at each level for a new sequence of the orders
(which is the old one here), the extent, the batch's size and its padding; at each pool for the unique codes and the voxels of
each instance. Its library for sparse convolutions multiplies offset by offset in the stem and by one kernel in the blocks: the
latter are rows of all offsets gathered and a product here, and the library's hash tables a sort and a search.
"""
import pool_steps_torch
import ptv3_layers
import sparse_rows_torch
from flash3d_layers import LEVELS
from ptv3_layers import HALVED, POSITION_KERNEL, STEM_CHANNELS, STEM_KERNEL
from pool_rows_torch import Wrong
from published_layers_torch import PublishedLayers
from voxel_index_torch import spread


def z_code(tables, cells, depth):
    """By tables of 8 bits, one an axis."""
    def of_bits(coordinates, mask):
        return tables[0][coordinates[0] & mask] | tables[1][coordinates[1] & mask] | tables[2][coordinates[2] & mask]

    coordinates = cells.long().unbind(1)
    code = of_bits(coordinates, (1 << min(depth, 8)) - 1)
    if depth > 8:
        code = of_bits([x >> 8 for x in coordinates], (1 << depth - 8) - 1) << 24 | code
    return code


def hilbert_code(torch, cells, depth, device):
    """Skilling's loop on tensors of single bits, then Gray code to binary, then bits to bytes to words."""
    of_byte = 1 << torch.arange(8).to(device)
    in_bytes = cells.long().contiguous().view(torch.uint8).view(-1, 3, 8).flip(-1)
    gray = in_bytes[..., None].bitwise_and(of_byte.flip(-1)).ne(0).byte().flatten(-2, -1)[..., -depth:]
    for bit in range(depth):
        for axis in range(3):
            is_set, first, below = gray[:, axis, bit, None], gray[:, 0, bit + 1:], gray[:, axis, bit + 1:]
            first.copy_(torch.logical_xor(first, is_set))
            differs = torch.logical_and(torch.logical_not(is_set).repeat(1, depth - bit - 1), torch.logical_xor(first, below))
            below.copy_(torch.logical_xor(below, differs))
            first.copy_(torch.logical_xor(first, differs))
    binary = gray.swapaxes(1, 2).reshape(-1, 3 * depth)
    shift = 1 << (3 * depth - 1).bit_length() - 1
    while shift > 0:
        binary = torch.logical_xor(binary, torch.nn.functional.pad(binary, (shift, 0))[:, :3 * depth])
        shift //= 2
    bits = torch.nn.functional.pad(binary, (64 - 3 * depth, 0))
    return (bits.flip(-1).reshape(-1, 8, 8) * of_byte).sum(2).to(torch.uint8).view(torch.int64).view(-1)


def padding(torch, ends, window, device):
    """As published: which place of the order each slot takes, and the slot of each place. `ends`: of the instances, on the
    device, as are all bounds of the slices."""
    count = torch.diff(ends, prepend=ends.new_zeros(1))
    whole = torch.div(count + window - 1, window, rounding_mode="trunc") * window
    is_long = count > window
    padded = ~is_long * count + is_long * whole
    first = torch.nn.functional.pad(ends, (1, 0))
    first_slot = torch.nn.functional.pad(torch.cumsum(padded, 0), (1, 0))
    pad, unpad = torch.arange(first_slot[-1], device=device), torch.arange(first[-1], device=device)
    for i in range(ends.shape[0]):
        unpad[first[i]:first[i + 1]] += first_slot[i] - first[i]
        if count[i] != padded[i]:
            rest, behind = count[i] % window, first_slot[i + 1]
            pad[behind - window + rest:behind] = pad[behind - 2 * window + rest:behind - window]
        pad[first_slot[i]:first_slot[i + 1]] -= first_slot[i] - first[i]
    return pad, unpad


class PublishedPtv3(PublishedLayers):
    def __init__(self, *of, trains=False):
        super().__init__(*of, trains)
        torch, network, self.curves = self.torch, self.network, self.network.model.curves
        self.ends = torch.tensor([network.points], device=self.device)
        self.tables = [torch.tensor([spread(i) << 2 - axis for i in range(256)], device=self.device) for axis in range(3)]

    # The index.

    def serialized(self, cells):
        torch, device = self.torch, self.device
        counts = torch.diff(self.ends, prepend=self.ends.new_zeros(1))
        batch = torch.arange(1, device=device).repeat_interleave(counts)
        depth = max(LEVELS - 1, int(cells.max().item()).bit_length())
        exchanged = cells[:, [1, 0, 2]] if self.curves > 1 else None
        codes = [z_code(self.tables, cells, depth)]
        if self.curves > 1:
            codes += [z_code(self.tables, exchanged, depth), hilbert_code(torch, cells, depth, device),
                      hilbert_code(torch, exchanged, depth, device)]
        code = torch.stack([batch << 3 * depth | of_curve for of_curve in codes])
        order = torch.argsort(code)
        places = torch.arange(code.shape[1], device=device).repeat(code.shape[0], 1)
        return {"code": code, "order": order, "inverse": torch.zeros_like(order).scatter_(1, order, places), "depth": depth,
                "batch": batch, "count": self.ends}

    def shuffled(self, at):
        """The orders in a new sequence, which comes from the host."""
        sequence = self.torch.arange(self.curves)
        return {**at, **{name: at[name][sequence] for name in ("code", "order", "inverse")}}

    def table(self, cells, kernel, extent):
        """[V][offsets]: the row there, or V; by a sort of the cells' places in a box, with room around them, and a search."""
        torch, room = self.torch, kernel // 2
        width = [side + 2 * room for side in extent]
        x, y, z = (cells.long() + room).unbind(1)
        key, rows = (x * width[1] + y) * width[2] + z, cells.shape[0]
        ordered, order = torch.sort(key)
        reach = torch.arange(-room, room + 1, device=self.device)
        step = ((reach[:, None, None] * width[1] + reach[:, None]) * width[2] + reach).view(-1)
        wanted = key[:, None] + step
        at = torch.searchsorted(ordered, wanted).clamp_max(rows - 1)
        return order[at].masked_fill(ordered[at] != wanted, rows)

    def pooling(self, at):
        inputs = {"codes": at["code"], "orders": at["order"], "cells": at["cell"], "positions": at["position"]}
        sizes = {"points": at["code"].shape[1], "clusters": None, "reduce": "max", "shift": HALVED,
                 "depth": at["depth"], "curves": self.curves, "batch": 1}
        return pool_steps_torch.GridPooling(self.torch, sizes, inputs)

    # Rows.

    def stem_rows(self, x, table):
        """Offset by offset, by lists as long as the host is told."""
        torch, rows, offsets = self.torch, table.shape[0], STEM_KERNEL ** 3
        found = table.t().reshape(-1)
        is_pair = found < rows
        counts = is_pair.view(offsets, rows).sum(1).tolist()
        pairs = sum(counts)
        at = (torch.cumsum(is_pair, 0) - 1).masked_fill(~is_pair, pairs)
        out = torch.arange(rows, device=self.device).repeat(offsets)
        ins, outs = (found.new_empty(pairs + 1).scatter(0, at, of)[:pairs].split(counts) for of in (found, out))
        matrix, _ = self.named["stem.conv"]
        by_offset = matrix.view(-1, offsets, STEM_CHANNELS).permute(1, 2, 0).bfloat16()
        sums = torch.zeros((rows, matrix.shape[0]), dtype=torch.float32, device=self.device)
        for q in range(offsets):
            if counts[q] > 0:
                sums.index_add_(0, outs[q], torch.mm(x[ins[q]], by_offset[q]).float())
        return sums.bfloat16()

    def position(self, x, name, table):
        matrix, bias = self.named[f"{name}.cpe.conv"]
        rows = sparse_rows_torch.columns(self.torch, x.bfloat16(), table, matrix.bfloat16(), bias.bfloat16())
        return self.norm(self.linear(rows, f"{name}.cpe.linear"), f"{name}.cpe.norm")

    def block(self, x, where, table, to_slots, to_rows):
        name, level, channels, _ = where
        if table is not None:
            x = x + self.position(x, name, table)
        qkv = self.linear(self.norm(x, f"{name}.norm1"), f"{name}.qkv")[to_slots]
        rows = self.attended(qkv, level, channels)[to_rows]
        x = x + self.linear(rows, f"{name}.proj")
        hidden = self.functional.gelu(self.linear(self.norm(x, f"{name}.norm2"), f"{name}.fc1"))
        return x + self.linear(hidden, f"{name}.fc2")

    def blocks(self, x, blocks, level, at):
        """Each block looks up its order, and how that is padded."""
        for where in blocks:
            curve = where[3]
            x = self.block(x, where, at["table"], at["order"][curve][at["pad"]], at["unpad"][at["inverse"][curve]])
        return x

    def level(self, at):
        """What blocks go by: orders in a new sequence; the extent, the batch's size and, if there are convolutions, the map;
        and padding."""
        torch = self.torch
        at = self.shuffled(at)
        extent = (at["cell"].max(0).values + 1).tolist()
        if int(at["batch"][-1].item()) + 1 != 1:
            raise Wrong("a batch of several instances")
        at["extent"] = extent
        at["table"] = self.table(at["cell"], POSITION_KERNEL, extent) if self.network.model.has_positions else None
        at["pad"], at["unpad"] = padding(torch, at["count"], self.network.window, self.device)
        return at

    def pooled(self, x, level, at):
        """The maximum of each cluster's projected rows, batch norm, GELU; and the next level."""
        found = self.pooling(at).index_published()
        projected = self.linear(x, f"down.{level}.linear")
        rows = found["code"].shape[1]
        to = found["cluster"][:, None].expand_as(projected)
        largest = projected.new_zeros((rows, projected.shape[1])).scatter_reduce_(0, to, projected, "amax", include_self=False)
        x = self.functional.gelu(self.batch_norm(largest, f"down.{level}.norm"))
        heads = found["member"][found["start"][:-1]]
        return x, {**found, "batch": at["batch"][heads], "depth": at["depth"] - HALVED}

    def whole(self, given):
        network = self.network
        at = {"cell": given["cells"], "position": given["positions"], **self.serialized(given["cells"])}
        at = self.level(at)
        stem = self.table(at["cell"], STEM_KERNEL, at["extent"])
        x = self.functional.gelu(self.batch_norm(self.stem_rows(given["x"], stem), "stem.norm"))
        levels, pools, skipped = [], [], []
        for level, blocks in enumerate(network.encoder()):
            levels.append(at)
            x = self.blocks(x, blocks, level, at)
            if level + 1 == LEVELS:
                break
            skipped.append(x)
            x, found = self.pooled(x, level, at)
            pools.append(found)
            at = self.level(found)
        for level, blocks in reversed(list(enumerate(network.decoder()))):
            below = self.activated(x, f"up.{level}.down", network.levels[level + 1].real)[pools[level]["cluster"]]
            x = self.activated(skipped[level], f"up.{level}.skip", network.levels[level].real) + below
            x = self.blocks(x, blocks, level, levels[level])
        return {"out": x.bfloat16(), "levels": levels, "pools": pools, "stem": stem}
