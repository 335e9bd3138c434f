#!/usr/bin/env python3
"""Measures pooling as it is written in PyTorch, by grid (pool_steps_torch.py) and within buckets (pool_buckets_torch.py), on
the workloads of pool in a record, and adds it to it as further variants: `ablate report` and `ablate claims` then take ratios
within one record.

  ablate run suites/pooling_quick.json --out out/pooling_quick
  ablate dev inputs suites/pooling_quick.json --out out/pooling_inputs
  scripts/rivals/pool_torch.py out/pooling_quick --inputs out/pooling_inputs --keep rivals.json

torch_published waits for the device, so it is for the workloads with host=published and timed as those are, by the host's
clock (bench_torch.Bench.time_host); the others wait for nothing and are timed as Ablate times `cold-clean`. The record must
come from the same GPU (its UUID is compared), and should come from the same session. Inputs are Ablate's own, whose hashes are
compared. Before and after timing, outputs are held against plain arithmetic within the
tolerance that Ablate has for its own variants; what differs is recorded as `wrong`, what cannot be compiled as `failed`, and
neither shows a time.
"""
import pathlib

import bench_torch
import pool_buckets_torch
import pool_rows_torch
import pool_steps_torch
import rival_contest
import rival_record
import written_inputs

SCRIPT = "scripts/rivals/pool_torch.py"
OPERATION = "pool"
RIVALS = {
    "torch_published": {
        "form": "published",
        "compiles": False,
        "description": "grid: PTv3's steps in PyTorch: unique, sorts, argsorts, scatter_reduce; waits for the device",
        "switches": {"index": "torch_steps", "library": "torch", "compiled": "no"},
    },
    "torch_flags": {
        "form": "flags",
        "compiles": False,
        "description": "grid: flags and sums over the orders that exist in PyTorch, sizes known; waits for nothing",
        "switches": {"index": "flags_of_orders", "library": "torch", "compiled": "no"},
    },
    "torch_compiled": {
        "form": "flags",
        "compiles": True,
        "description": "grid: torch_flags by torch.compile",
        "switches": {"index": "flags_of_orders", "library": "torch", "compiled": "yes"},
    },
    "torch_buckets": {
        "form": "buckets",
        "compiles": False,
        "description": "within buckets: one sort of all blocks' keys, runs of members by reshape in PyTorch; waits for nothing",
        "switches": {"index": "sort", "library": "torch", "compiled": "no"},
    },
    "torch_buckets_compiled": {
        "form": "buckets",
        "compiles": True,
        "description": "within buckets: torch_buckets by torch.compile",
        "switches": {"index": "sort", "library": "torch", "compiled": "yes"},
    },
}
# Those that a workload has take turns.
OURS = ("torch_steps", "flags_of_orders", "flags_of_orders_fused", "flags_of_orders_one_launch", "counting_sort",
        "counting_sort_fused", "counting_sort_batched")
REGIONS = ("index", "reduce", "all", "unpool")
# How Ablate's buffers become tensors: the type, and what follows the rows.
LAYOUTS = {
    "positions": ("float32", (3,)), "coordinates": ("float16", (3,)), "cells": ("int32", (3,)),
    "features": ("bfloat16", ("channels",)), "skipped": ("bfloat16", ("channels",)), "down": ("bfloat16", ("channels",)), "norm": ("float32", ("channels",)),
}
OVER_CURVES = {"codes": "int64", "orders": "int32"}
# Of an input, what a shape has beside its axes; in `shape`, `points` and `clusters` are these. Buckets lack the grid's.
FACTS = ("points", "clusters", "depth", "shift", "hash")


def is_for_rivals(workload):
    axes = workload["axes"]
    if axes["region"] not in REGIONS or axes["pass"] != "inference":
        return False
    if axes["clusters"] == "grid":
        return axes["host"] in ("absent", "published")
    # One instance, neither rotated nor padded: what reshapes of blocks express.
    return axes["clusters"] == "in_bucket" and axes["host"] == "absent" and \
        (axes["batch"], axes["rotate"], axes["pad"]) == ("1", "off", "1")


def shape_of(workload):
    """All axes: they decide which inputs there are, too. `how`: the axis `clusters`, a name that the fact takes."""
    facts = workload["input"]
    return {**workload["axes"], "how": workload["axes"]["clusters"],
            **{name: facts[name] for name in FACTS if name in facts}}


def competes(variant, shape):
    """What waits has workloads that wait; compiling is for those that do not."""
    form = RIVALS[variant]["form"]
    if (form == "buckets") != (shape["how"] == "in_bucket"):
        return False
    if form == "published":
        return shape["host"] == "published"
    return shape["host"] == "absent" or not RIVALS[variant]["compiles"]


def axes_of(shape):
    """The axes that are in a shape under their names, and `clusters`."""
    return {**{name: value for name, value in shape.items() if name not in (*FACTS, "how")}, "clusters": shape["how"]}


class Inputs(written_inputs.WrittenInputs):
    def of(self, shape):
        """Paths by buffer. In a shape `points` and `clusters` are facts, not axes of these names."""
        return self.find(OPERATION, axes_of(shape), shape["hash"])[0]


class PoolBench(bench_torch.Bench):
    def __init__(self, maximum_seconds, folder, device="cuda"):
        super().__init__(maximum_seconds, device)
        self.inputs = Inputs(folder)

    def tensor(self, path, dtype, row):
        values = self.torch.frombuffer(written_inputs.bytes_of_npy(path), dtype=getattr(self.torch, dtype)).to(self.device)
        return values.reshape(-1, *row)

    def tensors(self, shape):
        found, points, curves = {}, shape["points"], int(shape["curves"])
        for name, path in self.inputs.of(shape).items():
            if name in OVER_CURVES:
                # Rows are padded to whole vectors.
                found[name] = self.tensor(path, OVER_CURVES[name], ()).reshape(curves, -1)[:, :points].contiguous()
            elif name in LAYOUTS:
                dtype, row = LAYOUTS[name]
                row = [int(shape[of]) if isinstance(of, str) else of for of in row]
                found[name] = self.tensor(path, dtype, row)
        return found

    def prepared(self, variant, shape):
        """What is timed, and what compares its output."""
        form, tensors = RIVALS[variant]["form"], self.tensors(shape)
        if form == "buckets":
            pooling = pool_buckets_torch.BucketPooling(self.torch, shape, tensors)
            index = pooling.index
        else:
            pooling = pool_steps_torch.GridPooling(self.torch, shape, tensors)
            index = pooling.index_published if form == "published" else pooling.index_flags
        if shape["region"] == "index":
            return index, pooling.check_index
        if shape["region"] == "all":
            # The index is given back too: of what nobody reads, a compiler would leave out the making.
            def whole():
                found = index()
                return found, pooling.finished(pooling.reduced(found))
            return whole, lambda outputs: max(pooling.check_index(outputs[0]), pooling.check_finished(outputs[1]))
        known = pooling.exact_index()
        if shape["region"] == "reduce":
            return lambda: pooling.reduced(known), pooling.check_pooled
        return lambda: pooling.unpooled(known["cluster"]), pooling.check_unpooled

    def prepare(self, operation, variant, shape, seed):
        launch, error_of = self.prepared(variant, shape)
        if RIVALS[variant]["compiles"]:
            self.torch._dynamo.reset()  # each shape for itself: sizes stay constants
            launch = self.torch.compile(launch)

        def forward():
            with self.torch.no_grad():
                return launch()

        def check(outputs, when):
            try:
                return error_of(outputs)
            except pool_rows_torch.Wrong as wrong:
                raise bench_torch.Wrong(f"{when} timing: {wrong}") from None
        return forward, check

    def time_whole(self, launch, of, longest_wait=bench_torch.LONGEST_WAIT_SECONDS):
        if of["shape"]["host"] == "published":
            return self.time_host(launch)
        return super().time_whole(launch, of, longest_wait)


def contest(folder):
    return rival_contest.Contest(
        script=SCRIPT, rivals=RIVALS, operations=(OPERATION,), is_for_rivals=is_for_rivals, shape_of=shape_of,
        bench=lambda maximum_seconds: PoolBench(maximum_seconds, folder), ours={OPERATION: OURS}, competes=competes,
        size_of=lambda shape: shape["points"] * int(shape["channels"]), methods=("events", "host_clock"))


def main(arguments):
    parser = rival_contest.parser(__doc__)
    parser.add_argument("--inputs", type=pathlib.Path, metavar="DIR", help="inputs that `ablate dev inputs` wrote for the record's suite")
    given = parser.parse_args(arguments)
    if given.inputs is None and given.from_json is None:
        raise rival_record.BadRecord("--inputs: expected the folder that `ablate dev inputs` wrote; only --from-json needs none")
    rival_contest.add_rivals(contest(given.inputs), given, arguments, [OPERATION])


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
