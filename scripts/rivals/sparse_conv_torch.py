#!/usr/bin/env python3
"""Measures what PyTorch has for the workloads of sparse_conv in a record, and adds it to it as further variants: `ablate
report` and `ablate claims` then take ratios within one record.

  ablate run suites/sparse_conv.json --out out/sparse_conv
  ABLATE_DATA=DIR scripts/rivals/sparse_conv_torch.py out/sparse_conv --keep rivals.json

The layer, forward, from lists of pairs that are ready, as Ablate's are: a product an offset, its rows gathered and added
to fp32 sums (index_select, mm, index_add_), eager or compiled; or all pairs gathered once and one grouped product
(torch._grouped_mm, where there is one). The middle offset, which pairs each row with itself, begins the sums and is not
gathered where there is a product an offset. On real scans alone, in the order of their points: voxels and lists are made
here from the file (voxel_levels.py), and their hash is compared with the record's. The files are those of the suite, looked
for in the directories of the environment variable ABLATE_DATA.

The record must come from the same GPU (its UUID is compared), and should come from the same session. Inputs are Ablate's
own, element by element (variants/sparse_conv/prepare.h). Timed as Ablate times `cold-clean` (bench_torch.py). Before and
after timing the output is held against products in fp64; what is off by more than 4e-3 of its norm is recorded as `wrong`,
what cannot run as `failed`, and neither shows a time.
"""
import functools
import itertools
import json
import math
import os
import pathlib

import bench_torch
import in_turns
import rival_contest
import rival_record
import voxel_levels

SCRIPT = "scripts/rivals/sparse_conv_torch.py"
OPERATION = "sparse_conv"
RIVALS = {
    "torch_per_offset": {
        "description": "in PyTorch: for each offset rows gathered, multiplied, and added to fp32 sums",
        "switches": {"tiles": "torch", "products": "per_offset", "compiled": "no"},
    },
    "torch_per_offset_compiled": {
        "description": "torch_per_offset by torch.compile",
        "switches": {"tiles": "torch", "products": "per_offset", "compiled": "yes"},
    },
    "torch_grouped": {
        "description": "in PyTorch: all pairs gathered once, one grouped product, added to fp32 sums",
        "switches": {"tiles": "torch", "products": "grouped", "compiled": "no"},
    },
}
OURS = ("output_tiles_by_mask", "lists_fused", "stem_rows")
STEM_CHANNELS = 4
ACCEPTED_ERROR = 4e-3


def shape_of(workload):
    axes, known = workload["axes"], workload["input"]
    return {"layer": axes["layer"], "channels": int(axes["channels"]), "level": int(axes["level"]),
            "scan": axes["distribution"], "pairs": int(known["pairs"]), "rows": int(known["points"]),
            "map": known["map_hash"]}


def is_for_rivals(scans, workload):
    """Whole scans whose file is known, as their points come, forward."""
    axes = workload["axes"]
    return axes["distribution"] in scans and axes["points"] == "0" and axes["order"] == "scan" and \
        axes["region"] == "forward"


def competes(variant, shape):
    """A grouped product takes rows of whole 16 bytes: the stem's have 8."""
    return shape["layer"] == "xcpe" or variant != "torch_grouped"


def scans_of(suite, directories):
    """By name the file and the floats of a point, of those of the suite's point files that are there."""
    found = {}
    for name, scan in json.loads(suite.read_text(encoding="utf-8")).get("point_files", {}).items():
        file = scan["path"].removeprefix("data:")
        paths = [pathlib.Path(directory) / file for directory in directories]
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            found[name] = (path, scan["floats_per_point"])
    return found


def spread_of(offsets, channels):
    """1 / √(offsets · channels) in fp32."""
    return voxel_levels.fp32(1 / voxel_levels.fp32(math.sqrt(offsets * channels)))


class SparseConvBench(bench_torch.Bench):
    def __init__(self, scans, maximum_seconds, **options):
        super().__init__(maximum_seconds, **options)
        self.scans = scans

    @functools.lru_cache(maxsize=2)
    def lists(self, scan, level, kernel, expected):
        voxels = voxel_levels.voxels_of(voxel_levels.points_of(*self.scans[scan]), level)
        found = voxel_levels.hash_of(voxels)
        if found != expected:
            raise bench_torch.Wrong(f"{scan}, level {level}: expected voxels of hash {expected}, found {found}")
        torch = self.torch
        return [tuple(torch.tensor(rows, dtype=torch.int64, device=self.device) for rows in pairs)
                for pairs in voxel_levels.lists_of(voxels, kernel)]

    def made(self, seed, shape, offsets):
        """x, weights [offsets][in][out], bias or None."""
        torch, channels = self.torch, shape["channels"]
        ins = STEM_CHANNELS if shape["layer"] == "stem" else channels
        spread = torch.tensor(spread_of(offsets, ins), dtype=torch.float32, device=self.device)
        x = self.random_floats(seed, "x", (shape["rows"], ins)).to(torch.bfloat16)
        weights = (self.random_floats(seed, "weights", (channels, offsets, ins)) * spread).to(torch.bfloat16)
        bias = None if shape["layer"] == "stem" else self.random_floats(seed, "bias", (channels,)) * spread
        return x, weights.permute(1, 2, 0).contiguous(), bias

    def per_offset(self, lists, x, weights, bias):
        torch, middle = self.torch, len(lists) // 2
        sums = torch.mm(x, weights[middle], out_dtype=torch.float32)
        if bias is not None:
            sums += bias
        for q, (ins, outs) in enumerate(lists):
            if q != middle and len(outs) > 0:
                sums.index_add_(0, outs, torch.mm(x.index_select(0, ins), weights[q], out_dtype=torch.float32))
        return sums.to(torch.bfloat16)

    def grouped(self, gathered, x, weights, bias):
        torch = self.torch
        ins, outs, ends = gathered
        products = torch._grouped_mm(x.index_select(0, ins), weights, offs=ends)
        sums = bias.expand(x.shape[0], -1).contiguous()
        sums.index_add_(0, outs, products.to(torch.float32))
        return sums.to(torch.bfloat16)

    def exact(self, lists, x, weights, bias):
        torch = self.torch
        sums = torch.zeros((x.shape[0], weights.shape[2]), dtype=torch.float64, device=self.device)
        for q, (ins, outs) in enumerate(lists):
            sums.index_add_(0, outs, x[ins].double() @ weights[q].double())
        return sums if bias is None else sums + bias.double()

    def check(self, exact, out, when):
        error = ((out.double() - exact).norm() / exact.norm()).item()
        if not error <= ACCEPTED_ERROR:
            raise bench_torch.Wrong(f"{when} timing: off by {error:.2e} of the norm, expected at most {ACCEPTED_ERROR:.1e}")
        return error

    def prepare(self, operation, variant, shape, seed):
        torch = self.torch
        kernel = 5 if shape["layer"] == "stem" else 3
        lists = self.lists(shape["scan"], shape["level"], kernel, shape["map"])
        pairs = sum(len(outs) for _, outs in lists)
        if pairs != shape["pairs"]:
            raise bench_torch.Wrong(f"expected {shape['pairs']} pairs, found {pairs}")
        inputs = self.made(seed, shape, kernel ** 3)
        exact = self.exact(lists, *inputs)
        if variant == "torch_grouped":
            ends = list(itertools.accumulate(len(outs) for _, outs in lists))
            gathered = (torch.cat([ins for ins, _ in lists]), torch.cat([outs for _, outs in lists]),
                        torch.tensor(ends, dtype=torch.int32, device=self.device))
            layer = functools.partial(self.grouped, gathered)
        else:
            layer = functools.partial(self.per_offset, lists)
        if variant == "torch_per_offset_compiled":
            torch._dynamo.reset()  # each shape for itself: sizes stay constants
            # One graph, or an error: a rival that fell back to eager would be mislabeled.
            layer = torch.compile(layer, fullgraph=True)

        def forward():
            with torch.no_grad():
                return layer(*inputs)
        return forward, lambda out, when: self.check(exact, out, when)


def contest_of(scans):
    return rival_contest.Contest(
        script=SCRIPT, rivals=RIVALS, operations=(OPERATION,), shape_of=shape_of, competes=competes,
        is_for_rivals=functools.partial(is_for_rivals, scans), bench=functools.partial(SparseConvBench, scans),
        ours={OPERATION: OURS}, size_of=lambda shape: shape["pairs"] * shape["channels"] ** 2)


def main(arguments):
    given = rival_contest.parser(__doc__).parse_args(arguments)
    path = rival_record.file_of(given.record)
    suite = given.suite or in_turns.suite_of(rival_record.read_record(path)["context"]["ablate"])
    if not suite.is_file():
        raise rival_record.BadRecord(f"{suite}: expected the record's suite; --suite says where it is")
    directories = [directory for directory in os.environ.get("ABLATE_DATA", "").split(":") if directory]
    rival_contest.add_rivals(contest_of(scans_of(suite, directories)), given, arguments, [OPERATION])


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
