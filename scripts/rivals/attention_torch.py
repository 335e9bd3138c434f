#!/usr/bin/env python3
"""Measures FlashAttention-2 and cuDNN, through PyTorch, on the workloads of window_attention in a record, and adds them
to it as further variants: `ablate report` and `ablate claims` then take ratios within one record.

  ablate run suites/attention_quick.json --out out/attention_quick
  scripts/rivals/attention_torch.py out/attention_quick --backward

The record must come from the same GPU (its UUID is compared), and should come from the same session. Each distinct
shape is measured once: windows as the batch, [windows · batches, heads, window, width] bf16, contiguous, so neither
scopes nor buckets reach the rivals; workloads whose rows lie scattered get none. Their inputs are Ablate's own, element
by element (kernels/window_attention/made_inputs.h). Forward runs without gradients: cuDNN then writes no log-sum-exp,
Ablate does. Backward runs behind a forward that is not timed.

Timed as Ablate times `cold-clean`: CUDA events around one launch, behind a flush of L2 (twice its size written, twice
its size read) and a kernel that spins until everything is queued; samples for which the host came late are taken again.
Before and after timing the output of the first, middle and last window is held against fp32 attention, within the
tolerance that Ablate has for its own variants; what differs is recorded as `wrong` and shows no time.
"""
import argparse
import datetime
import json
import math
import pathlib
import sys
import time

import rival_record

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
# ‖Δ‖ / ‖reference‖ of the output, and of each gradient.
ACCEPTED_ERROR = {FORWARD: 1e-2, BACKWARD: 2e-2}

HALF_WIDTH, MINIMUM_SAMPLES, MAXIMUM_SAMPLES = 0.005, 30, 2000
SAMPLES_IN_FLIGHT = 10
FIRST_SPIN_CYCLES, LONGEST_SPIN_CYCLES = 20_000, 20_000_000

WORD = (1 << 64) - 1
DEVIATION_OF_SUM = 37837.2
ELEMENTS_AT_ONCE = 1 << 26


def shape_of(workload):
    axes = {name: workload["axes"][name] for name in ("tokens", "window", "heads", "width", "batches")}
    tokens, window, heads, width, batches = map(int, axes.values())
    return {"sequences": batches * tokens // window, "heads": heads, "window": window, "width": width,
            "score_spread": float(workload["input"].get("score_spread", 1))}


def stands_in_windows(workload):
    """Rivals that read contiguous windows say nothing of rows that must be gathered first."""
    return workload["axes"].get("rows", "buckets") in ("buckets", "contiguous")


def shapes_of(workloads):
    """Each (operation, shape) once, in the record's order."""
    found = {}
    for workload in workloads:
        shape = shape_of(workload)
        found.setdefault((workload["operation"], *shape.values()), (workload["operation"], shape))
    return list(found.values())


def enough(samples, seconds, maximum_seconds):
    """As harness/timing/stopping_rule.cpp: why no more samples are taken, or None."""
    if not samples:
        return None
    if len(samples) < MINIMUM_SAMPLES:
        return "time" if seconds > 10 * maximum_seconds else None
    figures = rival_record.summarize(samples)
    if (figures["ci95_high"] - figures["ci95_low"]) / 2 <= HALF_WIDTH * figures["median"]:
        return "precision"
    if len(samples) >= MAXIMUM_SAMPLES:
        return "samples"
    return "time" if seconds >= maximum_seconds else None


def signed(word):
    word &= WORD
    return word - (1 << 64) if word >> 63 else word


class Wrong(Exception):
    """An output that differs from the reference."""


class Bench:
    """The GPU, as PyTorch shows it. torch is imported here, so that records can be written without it."""

    def __init__(self, maximum_seconds, device="cuda"):
        import torch
        self.torch = torch
        self.device = device
        self.maximum_seconds = maximum_seconds
        torch.backends.cuda.matmul.allow_tf32 = False  # the reference is fp32

    def facts(self):
        torch = self.torch
        cudnn = torch.backends.cudnn.version()
        properties = torch.cuda.get_device_properties(0)
        uuid = getattr(properties, "uuid", None)
        cudnn = f"{cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}"
        return {"software": {"torch": torch.__version__, "cudnn": cudnn, "cuda": torch.version.cuda},
                "device": {"name": properties.name, "uuid": None if uuid is None else str(uuid)}}

    def prepare_flush(self, l2_bytes):
        words = 2 * l2_bytes // 4
        self.written = self.torch.empty(words, dtype=self.torch.float32, device=self.device)
        self.read = self.torch.ones(words, dtype=self.torch.float32, device=self.device)

    def flush(self):
        # What is only written stays in L2 as lines whose eviction the next kernel pays for.
        self.written.fill_(1)
        self.read.sum()

    def made_elements(self, seed, tensor, shape, spread):
        """Element i of Ablate's q, k, v or gradient of the output (tensor 0 to 3): bf16, in the order of memory."""
        torch = self.torch

        def mixed(x, shift):
            return x ^ ((x >> shift) & (WORD >> shift))

        deviation = torch.tensor(spread, dtype=torch.float32) / torch.tensor(DEVIATION_OF_SUM, dtype=torch.float32)
        deviation = deviation.to(self.device)
        first_word = signed((seed << 2 | tensor) * 0x9E3779B97F4A7C15)
        out = torch.empty(math.prod(shape), dtype=torch.bfloat16, device=self.device)
        for first in range(0, out.numel(), ELEMENTS_AT_ONCE):
            last = min(first + ELEMENTS_AT_ONCE, out.numel())
            x = torch.arange(first, last, dtype=torch.int64, device=self.device) + first_word
            x = mixed(x, 30) * signed(0xBF58476D1CE4E5B9)
            x = mixed(x, 27) * signed(0x94D049BB133111EB)
            x = mixed(x, 31)
            parts = (x & 0xFFFF) + (x >> 16 & 0xFFFF) + (x >> 32 & 0xFFFF) + (x >> 48 & 0xFFFF) - 2 * 0xFFFF
            out[first:last] = parts.to(torch.float32) * deviation
        return out.view(shape)

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
            raise Wrong(f"{when} timing: an element of the output is no number")
        error = self.largest_error(inputs, outputs)
        if not error <= accepted:
            raise Wrong(f"{when} timing: relative error {error:.2e} against fp32 attention, "
                        f"expected at most {accepted:.0e}")
        return error

    def events(self, count):
        return [self.torch.cuda.Event(enable_timing=True) for _ in range(count)]

    def group_median_us(self, launch, launches):
        marks = self.events(launches + 1)
        marks[0].record()
        for mark in marks[1:]:
            launch()
            mark.record()
        marks[-1].synchronize()
        return rival_record.median(sorted(1e3 * a.elapsed_time(b) for a, b in zip(marks, marks[1:])))

    def warm_up(self, launch):
        """Until two groups of launches agree within 1 %, for 3 to 50 ms; the number of launches."""
        per_group = 5
        launch()  # plans are made and memory is taken here
        self.torch.cuda.synchronize()
        began = time.monotonic()
        count, us = 1 + per_group, self.group_median_us(launch, per_group)
        while time.monotonic() - began < 0.05:
            before, us = us, self.group_median_us(launch, per_group)
            count += per_group
            if time.monotonic() - began > 0.003 and abs(us - before) <= 0.01 * before:
                break
        return count

    def time_cold_clean(self, launch):
        warmup_launches = self.warm_up(launch)
        samples, spin = [], FIRST_SPIN_CYCLES
        pairs = [self.events(2) for _ in range(SAMPLES_IN_FLIGHT)]
        began = time.monotonic()
        while True:
            host_was_ahead = []
            for start, stop in pairs:
                self.flush()
                self.torch.cuda._sleep(spin)
                start.record()
                launch()
                stop.record()
                host_was_ahead.append(not start.query())
            self.torch.cuda.synchronize()
            samples += [1e3 * start.elapsed_time(stop) for (start, stop), ahead in zip(pairs, host_was_ahead) if ahead]
            if not all(host_was_ahead):
                if not samples and spin >= LONGEST_SPIN_CYCLES:
                    raise RuntimeError("the host cannot enqueue a launch while the GPU spins: no sample can be taken")
                spin = min(2 * spin, LONGEST_SPIN_CYCLES)
            stopped_by = enough(samples, time.monotonic() - began, self.maximum_seconds)
            if stopped_by:
                return {"samples_us": samples, "warmup_launches": warmup_launches, "stopped_by": stopped_by}

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

    def measure(self, operation, variant, shape, seed):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        measurement = {"operation": operation, "variant": variant, "shape": shape}
        spread = shape["score_spread"]
        spreads = (spread, spread, 1.0) if operation == FORWARD else (spread, spread, 1.0, 1.0)
        try:
            with sdpa_kernel([getattr(SDPBackend, RIVALS[variant]["backend"])]):
                inputs = [self.made_windows(seed, tensor, shape, s) for tensor, s in enumerate(spreads)]
                launch = self.prepared(operation, inputs)
                errors = [self.check(inputs, launch(), ACCEPTED_ERROR[operation], "before")]
                timed = self.time_cold_clean(launch)
                errors.append(self.check(inputs, launch(), ACCEPTED_ERROR[operation], "after"))
            return {**measurement, "status": "ok", **timed, "max_error": max(errors)}
        except Wrong as wrong:
            return {**measurement, "status": "wrong", "reason": str(wrong)}
        except self.torch.OutOfMemoryError as error:
            self.torch.cuda.empty_cache()
            return {**measurement, "status": "out_of_memory", "reason": str(error).splitlines()[0]}
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            status = "not_applicable" if "No available kernel" in reason else "failed"
            return {**measurement, "status": status, "reason": reason}


def measure_all(bench, shapes, recorded):
    """`recorded`: what the record says of its run."""
    bench.prepare_flush(recorded["device"]["l2_bytes"])
    measurements = []
    for operation, shape in shapes:
        for variant in RIVALS:
            measurements.append(bench.measure(operation, variant, shape, recorded["seed"]))
            last = measurements[-1]
            found = f"{rival_record.summarize(last['samples_us'])['median']:.1f} us" if last["status"] == "ok" else \
                f"{last['status']}: {last['reason']}"
            print(f"{operation}/{variant} {' '.join(f'{k}={v:g}' for k, v in shape.items())}: {found}", file=sys.stderr)
    return {**bench.facts(), "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "measurements": measurements}


def expect_same_gpu(path, recorded, measured):
    def plain(uuid):
        return uuid and uuid.removeprefix("GPU-").lower()

    if recorded["kind"] != "gpu" or recorded["name"] != measured["name"]:
        raise rival_record.BadRecord(f"{path}: /context/ablate/device/name: expected a record of this GPU, "
                                     f"'{measured['name']}', found '{recorded['name']}'")
    if recorded.get("uuid") and measured["uuid"] and plain(recorded["uuid"]) != plain(measured["uuid"]):
        raise rival_record.BadRecord(f"{path}: /context/ablate/device/uuid: expected a record of this GPU, "
                                     f"{plain(measured['uuid'])}, found {recorded['uuid']}")


def read_measurements(path):
    try:
        measured = json.loads(path.read_text(encoding="utf-8"))
        for key in ("software", "device", "date", "measurements"):
            measured[key]
        return measured
    except OSError as error:
        raise rival_record.BadRecord(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise rival_record.BadRecord(
            f"{path}: expected what --keep writes: software, device, date and measurements") from None


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path, help="a record.json of `ablate run`, or its directory")
    parser.add_argument("--backward", action="store_true", help=f"also the workloads of {BACKWARD}")
    parser.add_argument("--maximum-seconds", type=float, default=0.5, metavar="S",
                        help="of sampling, for each shape and rival [%(default)s]")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="where the record goes [in its old place]")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE", help="write what was measured there, too")
    parser.add_argument("--from-json", type=pathlib.Path, metavar="FILE",
                        help="take what --keep wrote and measure nothing; needs neither PyTorch nor a GPU")
    return parser.parse_args(arguments)


def main(arguments):
    given = parsed(arguments)
    path = given.record / "record.json" if given.record.is_dir() else given.record
    record = rival_record.read_record(path)
    facts = record["context"]["ablate"]
    operations = [FORWARD, BACKWARD] if given.backward else [FORWARD]
    workloads = rival_record.workloads(record, operations, stands_in_windows, leave_out=RIVALS)
    if not workloads:
        raise rival_record.BadRecord(f"{path}: /benchmarks: expected cases of {' or '.join(operations)} in the cache "
                                     "state cold-clean, found none")
    if given.from_json:
        measured = read_measurements(given.from_json)
        expect_same_gpu(path, facts["device"], measured["device"])
    else:
        bench = Bench(given.maximum_seconds)
        expect_same_gpu(path, facts["device"], bench.facts()["device"])
        measured = measure_all(bench, shapes_of(workloads), facts)
    if given.keep:
        given.keep.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")

    rival_record.remove_rivals(record, [FORWARD, BACKWARD], RIVALS)
    missing = rival_record.add_rivals(record, RIVALS, workloads, measured["measurements"], shape_of)
    rival_record.describe(record, SCRIPT, arguments, RIVALS, operations, measured["software"], measured["date"])
    rival_record.write_record(given.out or path, record)
    if missing:
        print(f"{missing} cases have no rival: nothing of their shape was measured", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except rival_record.BadRecord as refused:
        sys.exit(f"attention_torch.py: {refused}")
