#!/usr/bin/env python3
"""Measures FlashAttention-2 and cuDNN, through PyTorch, on the workloads of window_attention in a record, and adds them
to it as further variants: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/attention_quick.json --out out/attention_quick
  scripts/rivals/attention_torch.py out/attention_quick --backward --in-turns build/release/ablate

The record must come from the same GPU (its UUID is compared), and should come from the same session. Each distinct
shape is measured once: windows as the batch, [windows · batches, heads, window, width] bf16, contiguous, so neither
scopes nor buckets reach the rivals; workloads with scattered rows get none. Their inputs are Ablate's own, element
by element (oracles/window_attention/made_inputs.h). Forward runs without gradients: cuDNN then writes no log-sum-exp,
Ablate does. Backward runs after a forward that is not timed.

Timed as Ablate times `cold-clean` (bench_torch.py). Before and after timing the output of the first, middle and last
window is held against fp32 attention, within the tolerance that Ablate has for its own variants; what differs is
recorded as `wrong` and shows no time.
"""
import math

import bench_torch
import rival_contest

SCRIPT = "scripts/rivals/attention_torch.py"
FORWARD, BACKWARD = "window_attention", "window_attention_backward"
RIVALS = {
    "flash_attention_2": {
        "backend": "FLASH_ATTENTION",
        "description": "FlashAttention-2 through PyTorch; windows contiguous",
        "switches": {"core": "flash_attention_2", "rows": "contiguous"},
    },
    "cudnn": {
        "backend": "CUDNN_ATTENTION",
        "description": "cuDNN's attention through PyTorch; windows contiguous",
        "switches": {"core": "cudnn", "rows": "contiguous"},
    },
}
# What the README and the claims set against rivals.
OURS = {
    FORWARD: ("hopper_online", "hopper_fixed_max", "hopper_exp2_bf16x2+exp2=bf16x2_4of16", "hopper_exp2_bf16x2", "hopper_cross_tile_overlap",
              "hopper_cross_tile_overlap_pdl", "hopper_per_shape_best", "hopper_warp_fixed_max", "mma_online"),
    BACKWARD: ("hopper_two_pass", "hopper_bulk", "hopper_bulk_rounded", "hopper_reduced", "hopper_persistent",
               "hopper_persistent_rounded", "hopper_window_per_cta", "hopper_window_per_cta_inline_delta", "hopper_four_groups",
               "hopper_private_dq", "hopper_per_shape_best", "mma_atomic", "mma_atomic_rounded"),
}
# ‖Δ‖ / ‖reference‖ of the output, and of each gradient.
ACCEPTED_ERROR = {FORWARD: 1e-2, BACKWARD: 2e-2}

DEVIATION_OF_SUM = 37837.2


def shape_of(workload):
    axes = {name: workload["axes"][name] for name in ("tokens", "window", "heads", "width", "batches")}
    tokens, window, heads, width, batches = map(int, axes.values())
    return {"sequences": batches * tokens // window, "heads": heads, "window": window, "width": width,
            "score_spread": float(workload["input"].get("score_spread", 1))}


def stands_in_windows(workload):
    """Rivals that read contiguous windows say nothing of rows that must be gathered first."""
    return workload["axes"].get("rows", "buckets") in ("buckets", "contiguous")


class AttentionBench(bench_torch.Bench):
    def software(self):
        cudnn = self.torch.backends.cudnn.version()
        return {**super().software(), "cudnn": f"{cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}"}

    def made_elements(self, seed, tensor, shape, spread):
        """Element i of Ablate's q, k, v or gradient of the output (tensor 0 to 3): bf16, in the order of memory."""
        torch = self.torch
        deviation = torch.tensor(spread, dtype=torch.float32) / torch.tensor(DEVIATION_OF_SUM, dtype=torch.float32)
        deviation = deviation.to(self.device)
        first_word = bench_torch.signed((seed << 2 | tensor) * bench_torch.STREAM_STEP)

        def values(i):
            x = bench_torch.mixed(i + first_word)
            parts = (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF
            return parts.to(torch.float32) * deviation
        return self.filled(shape, torch.bfloat16, values)

    def made_windows(self, seed, tensor, shape, spread):
        """[sequences, heads, window, width], contiguous. Ablate's rows hold all heads, and its windows' rows follow each
        other where buckets are neither shuffled nor shifted."""
        in_rows = (shape["sequences"], shape["window"], shape["heads"], shape["width"])
        return self.made_elements(seed, tensor, in_rows, spread).permute(0, 2, 1, 3).contiguous()

    def references(self, q, k, v, gradient=None):
        """fp32 attention of one head of one window, [window, width] each: the output, or the gradients of q, k and v."""
        torch = self.torch
        q, k, v = q.float(), k.float(), v.float()
        scale = 1 / math.sqrt(q.shape[-1])
        p = torch.softmax(q @ k.T * scale, dim=-1)
        if gradient is None:
            return [p @ v]
        gradient = gradient.float()
        delta = (gradient * (p @ v)).sum(dim=-1, keepdim=True)
        ds = p * (gradient @ v.T - delta)
        return [ds @ k * scale, ds.T @ q * scale, p.T @ gradient]

    def largest_error(self, inputs, outputs):
        """‖Δ‖ / ‖reference‖ over the windows that are compared, of the output that is furthest off."""
        squared = [[0.0, 0.0] for _ in outputs]
        sequences, heads = outputs[0].shape[:2]
        for window in sorted({0, sequences // 2, sequences - 1}):
            for head in range(heads):
                references = self.references(*(x[window, head].detach() for x in inputs))
                for sums, output, reference in zip(squared, outputs, references):
                    sums[0] += (output[window, head].float() - reference).double().square().sum().item()
                    sums[1] += reference.double().square().sum().item()
        return max(math.sqrt(error / of) if of else (0.0 if error == 0 else math.inf) for error, of in squared)

    def check(self, inputs, outputs, accepted, when):
        if not all(self.torch.isfinite(output).all().item() for output in outputs):
            raise bench_torch.Wrong(f"{when} timing: an element of the output is no number")
        error = self.largest_error(inputs, outputs)
        if not error <= accepted:
            raise bench_torch.Wrong(f"{when} timing: relative error {error:.2e} against fp32 attention, "
                                    f"expected at most {accepted:.0e}")
        return error

    def prepared(self, operation, inputs):
        """What is timed, and returns the outputs as a list."""
        torch = self.torch
        attend = torch.nn.functional.scaled_dot_product_attention
        q, k, v, *gradients = inputs
        if operation == FORWARD:
            def forward():
                with torch.no_grad():
                    return [attend(q, k, v)]
            return forward
        out = attend(*(x.requires_grad_() for x in (q, k, v)))
        # In the layout of the output: otherwise cuDNN's backward begins with a copy.
        gradient = torch.empty_like(out).copy_(gradients[0])
        return lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)

    def backend(self, variant):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        return sdpa_kernel([getattr(SDPBackend, RIVALS[variant]["backend"])])

    def prepare(self, operation, variant, shape, seed):
        spread = shape["score_spread"]
        spreads = (spread, spread, 1.0) if operation == FORWARD else (spread, spread, 1.0, 1.0)
        inputs = [self.made_windows(seed, tensor, shape, s) for tensor, s in enumerate(spreads)]
        return self.prepared(operation, inputs), \
            lambda outputs, when: self.check(inputs, outputs, ACCEPTED_ERROR[operation], when)


CONTEST = rival_contest.Contest(script=SCRIPT, rivals=RIVALS, operations=(FORWARD, BACKWARD),
                                is_for_rivals=stands_in_windows, shape_of=shape_of, bench=AttentionBench, ours=OURS)


def main(arguments):
    parser = rival_contest.parser(__doc__)
    parser.add_argument("--backward", action="store_true", help=f"also the workloads of {BACKWARD}")
    given = parser.parse_args(arguments)
    rival_contest.add_rivals(CONTEST, given, arguments, [FORWARD, BACKWARD] if given.backward else [FORWARD])


if __name__ == "__main__":
    rival_contest.exit_of(SCRIPT, main)
