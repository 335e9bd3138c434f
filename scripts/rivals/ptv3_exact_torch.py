"""A pass of PTv3 in fp64, after oracles/backbone/reference.cpp: what the outputs of rivals are held to. Voxels are distinct, so
the index follows from their positions: it is made here by plain means and what rivals find is compared with it. An output may
be twice as far off as rounding moves it, as Flash3D's (flash3d_exact_torch.py).
"""
import functools

import exact_passes_torch
from flash3d_exact_torch import ExactPass
from flash3d_layers import LEVELS
from pool_rows_torch import Wrong, worst_of
from ptv3_layers import HALVED, POSITION_KERNEL, STEM_CHANNELS, STEM_KERNEL
from voxel_index_torch import offsets_of_lists


def code_of(cells, depth, is_hilbert):
    """Of [V][3], bit by bit; Hilbert's by Skilling's loop on whole coordinates."""
    axes = [of.long() for of in cells.unbind(1)]
    for bit in range(depth - 1, 0, -1) if is_hilbert else ():
        below = (1 << bit) - 1
        for a in range(3):
            is_set = (axes[a] >> bit & 1) != 0
            differing = ((axes[0] ^ axes[a]) & below).masked_fill(is_set, 0)
            axes[0] = axes[0] ^ differing ^ is_set * below
            axes[a] = axes[0] if a == 0 else axes[a] ^ differing
    code = before = axes[0] * 0
    for bit in range(depth - 1, -1, -1):
        for axis in axes:
            digit = axis >> bit & 1
            before = digit ^ before if is_hilbert else digit
            code = code << 1 | before
    return code


def codes_of(torch, cells, depth, curves):
    exchanged = cells[:, [1, 0, 2]]
    found = [(cells, False), (exchanged, False), (cells, True), (exchanged, True)][:curves]
    return torch.stack([code_of(of, depth, is_hilbert) for of, is_hilbert in found])


def table_of(torch, cells, kernel):
    """[V][offsets]: the row there, or V; each cell as one number, in a box with room around it."""
    room, rows = kernel // 2, cells.shape[0]
    side = int(cells.max().item()) + 1 + 2 * room
    x, y, z = (cells.long() + room).unbind(1)
    key = (x * side + y) * side + z
    ordered, order = torch.sort(key)
    found = []
    for dx in range(-room, room + 1):
        for dy in range(-room, room + 1):
            for dz in range(-room, room + 1):
                wanted = key + (dx * side + dy) * side + dz
                at = torch.searchsorted(ordered, wanted).clamp_max(rows - 1)
                found.append(torch.where(ordered[at] == wanted, order[at], torch.full_like(order, rows)))
    return torch.stack(found, 1)


def table_of_lists(torch, lists, rows):
    """As table_of, from lists without the middle one; Wrong where a pair is there twice."""
    offsets = POSITION_KERNEL ** 3
    ins, outs, ends = (lists[name].long() for name in ("ins", "outs", "ends"))
    if int(ends[-1].item()) != ins.shape[0] or bool((outs < 0).any()) or bool((outs >= rows).any()):
        raise Wrong("lists of neighbors end elsewhere, or name rows that do not exist")
    number = torch.searchsorted(ends, torch.arange(ins.shape[0], device=ins.device), right=True)
    at = outs * offsets + torch.tensor(offsets_of_lists(offsets), device=ins.device)[number]
    if torch.unique(at).shape[0] != at.shape[0]:
        raise Wrong("a pair of neighbors is listed twice")
    table = ins.new_full((rows * offsets,), rows).scatter_(0, at, ins).view(rows, offsets)
    table[:, offsets // 2] = torch.arange(rows, device=ins.device)
    return table


def slots_of(level):
    """The row of each slot, by curve; or as the order that each block pads by itself has it."""
    return level["slots"] if "slots" in level else level["order"][:, level["pad"]]


class ExactIndex:
    """Of a network's voxels, [V][3]."""

    def __init__(self, torch, network, cells, positions):
        self.torch, self.network, curves = torch, network, network.model.curves
        self.levels, self.pools = [], []
        code = codes_of(torch, cells, network.depth, curves)
        at = {"code": code, "order": torch.argsort(code), "cell": cells, "position": positions}
        for level, sizes in enumerate(network.levels):
            inverse = torch.argsort(at["order"])
            slots = torch.arange(sizes.slots, device=cells.device)
            place = torch.where(slots < sizes.real, slots, slots - network.window)
            table = table_of(torch, at["cell"], POSITION_KERNEL)
            self.expect(f"level {level}: pairs", int((table < sizes.real).sum().item()), sizes.pairs)
            self.levels.append({**at, "inverse": inverse, "slots": at["order"][:, place], "table": table})
            if level + 1 == LEVELS:
                break
            pooling = self.pooling(level)
            found = pooling.exact_index()
            self.expect(f"level {level + 1}: rows", found["code"].shape[1], network.levels[level + 1].real)
            self.pools.append(found)
            heads = torch.zeros_like(found["order"][0]).scatter_(0, found["cluster"],
                                                                 torch.arange(sizes.real, device=cells.device))
            at = {"code": found["code"], "order": found["order"], "cell": at["cell"][heads] >> HALVED,
                  "position": pooling.segment_mean(at["position"].double(), found["cluster"], heads.shape[0])}
        self.stem = table_of(torch, cells, STEM_KERNEL)
        self.expect("pairs of the stem", int((self.stem < network.points).sum().item()), network.stem_pairs)

    @staticmethod
    def expect(what, found, expected):
        if found != expected:
            raise Wrong(f"{what}: {found}, the record says {expected}: other inputs")

    def pooling(self, level):
        at = self.levels[level]
        inputs = {"codes": at["code"], "orders": at["order"], "cells": at["cell"], "positions": at["position"]}
        return self.network.pooling(self.torch, level, inputs)

    def same(self, what, found, exact):
        if found.shape != exact.shape or not self.torch.equal(found.long(), exact.long()):
            raise Wrong(f"{what}: differs from the voxels'")

    def check(self, found):
        """Of what features go by, and what that comes from."""
        for level, (seen, exact) in enumerate(zip(found["levels"], self.levels)):
            for name in ("code", "order", "inverse", "cell"):
                self.same(f"level {level}: {name}", seen[name], exact[name])
            worst_of(f"level {level}: position", seen["position"].double(), exact["position"].double(),
                     1e-5 * (1 + exact["position"].double().abs()))
            self.same(f"level {level}: slots", slots_of(seen), exact["slots"])
            self.check_map(level, seen)
            if level + 1 < LEVELS:
                self.same(f"level {level}: cluster", found["pools"][level]["cluster"], self.pools[level]["cluster"])
        self.same("stem: table", found["stem"], self.stem)

    def check_map(self, level, found):
        exact = self.levels[level]["table"]
        if found.get("table") is not None:
            self.same(f"level {level}: table", found["table"], exact)
        if "ins" in found:
            self.same(f"level {level}: lists", table_of_lists(self.torch, found, exact.shape[0]), exact)


class ExactPtv3(ExactPass):
    def convolved(self, x, name, table, channels):
        matrix, bias = (of.double() for of in self.weights.linear(name))
        with_zeros = self.torch.cat([x, x.new_zeros((1, channels))])
        by_offset = matrix.view(matrix.shape[0], table.shape[1], channels)
        sums = bias.expand(x.shape[0], -1).contiguous()
        for q in range(table.shape[1]):
            sums += with_zeros[table[:, q]] @ by_offset[:, q].T
        return self.stored(sums)

    def windows(self, qkv):
        return self.torch.arange(qkv.shape[0], device=qkv.device).view(-1, self.network.window)

    def block(self, x, where, table, to_slots, to_rows):
        name, level, channels, _ = where
        if table is not None:
            rows = self.linear(self.convolved(x, f"{name}.cpe.conv", table, channels), f"{name}.cpe.linear")
            x = self.stored(x + self.norm(rows, f"{name}.cpe.norm"))
        qkv = self.linear(self.norm(x, f"{name}.norm1"), f"{name}.qkv")[to_slots]
        attended = self.attention_in(self.windows(qkv), qkv, self.network.attention(level, channels))[to_rows]
        x = self.stored(x + self.linear(attended, f"{name}.proj"))
        hidden = self.stored(self.functional.gelu(self.linear(self.norm(x, f"{name}.norm2"), f"{name}.fc1")))
        return self.stored(x + self.linear(hidden, f"{name}.fc2"))

    def blocks(self, x, blocks, at):
        for where in blocks:
            table, curve = at["table"] if self.network.model.has_positions else None, where[3]
            x = self.block(x, where, table, at["slots"][curve], at["inverse"][curve])
        return x

    def largest(self, x, cluster, rows):
        at = cluster[:, None].expand_as(x)
        return x.new_zeros((rows, x.shape[1])).scatter_reduce_(0, at, x, "amax", include_self=False)

    def whole(self, given, index):
        """Rows in the voxels' order."""
        x = self.convolved(given["x"].double(), "stem.conv", index.stem, STEM_CHANNELS)
        x, skipped = self.batch_normed(x, "stem.norm"), []
        for level, blocks in enumerate(self.network.encoder()):
            x = self.blocks(x, blocks, index.levels[level])
            if level + 1 < LEVELS:
                skipped.append(x)
                projected = self.linear(x, f"down.{level}.linear")
                rows = self.network.levels[level + 1].real
                x = self.batch_normed(self.largest(projected, index.pools[level]["cluster"], rows), f"down.{level}.norm")
        for level, blocks in reversed(list(enumerate(self.network.decoder()))):
            below = self.activated(x, f"up.{level}.down", self.network.levels[level + 1].real)[index.pools[level]["cluster"]]
            x = self.stored(self.activated(skipped[level], f"up.{level}.skip", self.network.levels[level].real) + below)
            x = self.blocks(x, blocks, index.levels[level])
        return x

    def lone(self, given, x):
        rows = self.torch.arange(self.network.points, device=x.device)
        return self.block(x, self.network.encoder()[0][0], None, given.get("to_slots", rows), given.get("to_rows", rows))


class Checker(exact_passes_torch.Checker):
    def __init__(self, torch, network, weights, given, out_gradient=None):
        super().__init__(torch, out_gradient)
        self.network, self.weights, self.given = network, weights, given

    @functools.cached_property
    def index(self):
        """None of a block."""
        if self.network.is_block:
            return None
        return ExactIndex(self.torch, self.network, self.given["cells"], self.given["positions"])

    @functools.cached_property
    def passes(self):
        def run_of(rounds):
            def run(weights, x):
                a_pass = ExactPtv3(self.torch, self.network, weights, rounds, self.trains)
                return a_pass.lone(self.given, x) if self.network.is_block else a_pass.whole(self.given, self.index)
            return run
        return self.made(run_of, self.weights, self.given["x"].double() if self.network.is_block else None)

    def prepare(self):
        _ = self.passes

    def error(self, found):
        if self.index is not None:
            self.index.check(found)
        return self.error_of(found)

    def hold_to_oracle(self, out, gradients=None):
        self.expect_of_oracle(out, gradients)
