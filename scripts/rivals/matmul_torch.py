#!/usr/bin/env python3
"""Measures cuBLAS's fp32 product without tensor cores (TF32 off), through PyTorch, on the workloads of matmul in a
record, and adds it to it as a further variant: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/shared_memory_siblings.json --out out/siblings
  scripts/rivals/matmul_torch.py out/siblings --in-turns build/release/ablate

The record must come from the same GPU (its UUID is compared), and should come from the same session. Inputs are
Ablate's own, element by element (harness/inputs/random_floats.h). Timed as Ablate times `cold-clean` (bench_torch.py).
Before and after timing the whole product is held against that in fp64, within the tolerance that Ablate has for its own
variants (oracles/matmul/reference.h), which TF32 does not meet; what differs is recorded as `wrong` and shows no time.
"""
import math

import bench_torch
import rival_contest

SCRIPT = "scripts/rivals/matmul_torch.py"
OPERATION = "matmul"
RIVALS = {
    "cublas": {
        "description": "cuBLAS through PyTorch, fp32 without TF32",
        "switches": {"library": "cublas"},
    },
}


def shape_of(workload):
    return {name: int(workload["input"][name]) for name in ("m", "n", "k")}


def element_rms(k):
    return math.sqrt(k) / 3


class MatmulBench(bench_torch.Bench):
    def check(self, exact, product, k, when):
        """‖Δ‖ / ‖exact‖."""
        accepted = 1e-5 * math.sqrt(k) * element_rms(k)
        difference = product.double() - exact
        greatest = difference.abs().max().item()
        if not greatest <= accepted:
            raise bench_torch.Wrong(f"{when} timing: an element is off by {greatest:.2e}, expected at most {accepted:.2e}")
        return (difference.norm() / exact.norm()).item()

    def prepare(self, operation, variant, shape, seed):
        m, n, k = shape["m"], shape["n"], shape["k"]
        a = self.random_floats(seed, "matmul a", (m, k))
        b = self.random_floats(seed, "matmul b", (k, n))
        product = self.torch.empty((m, n), dtype=self.torch.float32, device=self.device)
        exact = a.double() @ b.double()
        return lambda: self.torch.mm(a, b, out=product), lambda product, when: self.check(exact, product, k, when)


CONTEST = rival_contest.Contest(script=SCRIPT, rivals=RIVALS, operations=(OPERATION,), is_for_rivals=lambda _: True,
                                shape_of=shape_of, bench=MatmulBench,
                                ours={OPERATION: ("smem_register_block", "smem_wide_block")})


def main(arguments):
    given = rival_contest.parser(__doc__).parse_args(arguments)
    rival_contest.add_rivals(CONTEST, given, arguments, [OPERATION])


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
