"""What scripts that measure kernels through PyTorch have in common: how a time is taken, and Ablate's random numbers.

Timed as Ablate times `cold-clean` at a steady clock: CUDA events around one launch, after a flush of L2 (twice its size
written, twice its size read) and a kernel that spins until everything is queued; samples for which the host came late are
taken again, and those from before the SM clock was steady (steady_clock.py) do not count.
"""
import contextlib
import math
import sys
import time

import clock_stamps
import in_turns
import nvml
import rival_record
import steady_clock
from spent_seconds import SPENT

HALF_WIDTH, MINIMUM_SAMPLES, MAXIMUM_SAMPLES = 0.005, 30, 2000
SAMPLES_IN_FLIGHT = 10
LONGEST_WAIT_SECONDS = 5
LONGEST_IN_FLIGHT_US = 500_000
WARM_AFTER_ONE_US = 50_000
FIRST_SPIN_CYCLES, LONGEST_SPIN_CYCLES = 20_000, 20_000_000
SECONDS_BETWEEN_SIGNS = 10

WORD = (1 << 64) - 1
STREAM_STEP = 0x9E3779B97F4A7C15
MIX_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
ELEMENTS_AT_ONCE = 1 << 26


def reason_of(error):
    """The first line of what an error says; the next one, too, where the first only announces it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


def enough(samples, seconds, maximum_seconds, minimum_samples=MINIMUM_SAMPLES):
    """As harness/timing/stopping_rule.cpp: why no more samples are taken, or None."""
    if not samples:
        return None
    if len(samples) < minimum_samples:
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


def mixed(x):
    """One word of splitmix64, of a Python integer or, with signed wrap-around, of a tensor of int64."""
    def shifted(x, shift):
        return x ^ ((x >> shift) & (WORD >> shift))

    wrapped = (lambda word: word & WORD) if isinstance(x, int) else (lambda words: words)
    factors = MIX_FACTORS if isinstance(x, int) else [signed(factor) for factor in MIX_FACTORS]
    x = wrapped(shifted(x, 30) * factors[0])
    x = wrapped(shifted(x, 27) * factors[1])
    return shifted(x, 31)


def start_of_stream(seed, purpose):
    """The state of harness/inputs/random.h before its first number."""
    state = mixed((seed + STREAM_STEP) & WORD)
    for letter in purpose.encode():
        state = mixed(state ^ letter)
    return state


class Wrong(Exception):
    """An output that differs from the reference."""


class SignsOfLife:
    """A line every SECONDS_BETWEEN_SIGNS while samples are taken."""

    def __init__(self):
        self.next = SECONDS_BETWEEN_SIGNS

    def look(self, seconds, samples):
        if seconds < self.next:
            return
        self.next = seconds + SECONDS_BETWEEN_SIGNS
        print(f"  {samples} samples in {seconds:.0f} s", file=sys.stderr, flush=True)


class Bench:
    """The GPU, as PyTorch shows it. torch is imported here, so that records can be written without it."""

    minimum_samples = MINIMUM_SAMPLES

    def __init__(self, maximum_seconds, device="cuda"):
        with SPENT.on("PyTorch's start"):
            import torch
        self.torch = torch
        self.device = device
        self.maximum_seconds = maximum_seconds
        torch.backends.cuda.matmul.allow_tf32 = False  # products and references of fp32 are fp32

    def software(self):
        return {"torch": self.torch.__version__, "cuda": self.torch.version.cuda}

    def facts(self):
        properties = self.torch.cuda.get_device_properties(0)
        uuid = getattr(properties, "uuid", None)
        return {"software": self.software(),
                "device": {"name": properties.name, "uuid": None if uuid is None else str(uuid)}}

    def prepare_flush(self, l2_bytes):
        words = 2 * l2_bytes // 4
        self.written = self.torch.empty(words, dtype=self.torch.float32, device=self.device)
        self.read = self.torch.ones(words, dtype=self.torch.float32, device=self.device)

    def flush(self):
        # What is only written stays in L2 as lines whose eviction the next kernel pays for.
        self.written.fill_(1)
        self.read.sum()

    def filled(self, shape, dtype, values):
        """A tensor of what `values(i)` gives for indices i of its elements, in the order of memory."""
        out = self.torch.empty(math.prod(shape), dtype=dtype, device=self.device)
        for first in range(0, out.numel(), ELEMENTS_AT_ONCE):
            last = min(first + ELEMENTS_AT_ONCE, out.numel())
            out[first:last] = values(self.torch.arange(first, last, dtype=self.torch.int64, device=self.device))
        return out.view(shape)

    def random_floats(self, seed, purpose, shape):
        """As harness/inputs/random_floats.h."""
        start = start_of_stream(seed, purpose)

        def values(i):
            words = mixed(i * signed(STREAM_STEP) + signed(start + STREAM_STEP))
            return ((words >> 40 & 0xFFFFFF) - (1 << 23)).to(self.torch.float32) * 2.0 ** -23
        return self.filled(shape, self.torch.float32, values)

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
        """Until two groups of launches agree within 1 %, for 3 to 50 ms: the number of launches, and the time of one."""
        per_group = 5
        launch()  # plans are made and memory is taken here
        self.torch.cuda.synchronize()
        us = self.group_median_us(launch, 1)
        if us >= WARM_AFTER_ONE_US:
            return 2, us
        began = time.monotonic()
        count, us = 2 + per_group, self.group_median_us(launch, per_group)
        while time.monotonic() - began < 0.05:
            before, us = us, self.group_median_us(launch, per_group)
            count += per_group
            if time.monotonic() - began > 0.003 and abs(us - before) <= 0.01 * before:
                break
        return count, us

    def prepare_clock(self):
        self.stamps = clock_stamps.ClockStamps(self.torch, SAMPLES_IN_FLIGHT)
        self.nvml = nvml.Nvml(self.facts()["device"]["uuid"])

    @SPENT.on("timing rivals")
    def time_cold_clean(self, launch, longest_wait=LONGEST_WAIT_SECONDS):
        warmup_launches, us = self.warm_up(launch)
        samples, spin = [], FIRST_SPIN_CYCLES
        in_flight = max(2, min(SAMPLES_IN_FLIGHT, int(LONGEST_IN_FLIGHT_US / us)))
        pairs = [self.events(2) for _ in range(in_flight)]
        watch, signs = steady_clock.SteadyClockWatch(self.nvml.power_cap_w(), longest_wait), SignsOfLife()
        began = time.monotonic()
        while True:
            host_was_ahead = []
            for i, (start, stop) in enumerate(pairs):
                self.flush()
                self.stamps.before(i)
                self.torch.cuda._sleep(spin)
                start.record()
                launch()
                stop.record()
                host_was_ahead.append(not start.query())
                self.stamps.after(i)
            load = self.nvml.load()
            self.torch.cuda.synchronize()
            samples += [1e3 * start.elapsed_time(stop) for (start, stop), ahead in zip(pairs, host_was_ahead) if ahead]
            if not all(host_was_ahead):
                if not samples and spin >= LONGEST_SPIN_CYCLES:
                    raise RuntimeError("the host cannot enqueue a launch while the GPU spins: no sample can be taken")
                spin = min(2 * spin, LONGEST_SPIN_CYCLES)
            seconds = time.monotonic() - began
            watch.look(seconds, len(samples), *self.stamps.counted(), load)
            signs.look(seconds, len(samples))
            stopped_by = self.stopped_by(samples, seconds, watch)
            if stopped_by:
                return {"samples_us": samples[watch.first_sample():], "warmup_launches": warmup_launches,
                        "stopped_by": stopped_by, "clock": watch.json()}

    @SPENT.on("timing rivals")
    def time_host(self, launch):
        """By the host's clock, for what waits within: from the call until the device is idle, each after a flush of L2 and an
        idle device, as harness/timing/cuda/host_clock.cpp takes it where no steady clock is asked for."""
        warmup_launches, _ = self.warm_up(launch)
        samples, began = [], time.monotonic()
        while True:
            self.flush()
            self.torch.cuda.synchronize()
            start = time.perf_counter_ns()
            launch()
            self.torch.cuda.synchronize()
            samples.append((time.perf_counter_ns() - start) / 1e3)
            stopped_by = enough(samples, time.monotonic() - began, self.maximum_seconds, self.minimum_samples)
            if stopped_by:
                return {"samples_us": samples, "warmup_launches": warmup_launches, "stopped_by": stopped_by,
                        "method": "host_clock"}

    def stopped_by(self, samples, seconds, watch):
        """As harness/timing/cuda/sample_watch.cpp: why no more samples are taken, or None."""
        if not watch.settled():
            return None
        counting = samples[watch.first_sample():]
        why = enough(counting, seconds - watch.first_seconds(), self.maximum_seconds, self.minimum_samples)
        return why or ("time" if watch.time_is_up() and len(counting) >= self.minimum_samples else None)

    def share_of_work(self, operation, variant, shape):
        """The part of the shape's work that the launch of `prepare` does. Less than 1: times are stretched to the whole."""
        return 1

    def time_whole(self, launch, of, longest_wait=LONGEST_WAIT_SECONDS):
        timed, share = self.time_cold_clean(launch, longest_wait), self.share_of_work(**of)
        if share == 1:
            return timed
        return {**timed, "samples_us": [us / share for us in timed["samples_us"]], "share_of_work": share}

    def figures(self, launch, of):
        """What else a record says of a rival: numbers by name with unit, found once, untimed, after the last launch."""
        return {}

    @SPENT.on("figures")
    def further(self, launch, of):
        figures = self.figures(launch, of)
        return {"figures": figures} if figures else {}

    def finish(self, found, seed):
        """After all timing: what cannot be found without disturbing it."""

    def backend(self, _variant):
        """Within it a rival is prepared and launched."""
        return contextlib.nullcontext()

    def attempted(self, attempt):
        """What `attempt()` returns, as a status `ok`; or the status and the reason why there is nothing."""
        try:
            return {"status": "ok", **attempt()}
        except Wrong as wrong:
            return {"status": "wrong", "reason": str(wrong)}
        except self.torch.OutOfMemoryError as error:
            self.torch.cuda.empty_cache()
            return {"status": "out_of_memory", "reason": reason_of(error)}
        except Exception as error:  # whatever a compiler throws: the other rivals go on
            reason = reason_of(error)
            return {"status": "not_applicable" if "No available kernel" in reason else "failed", "reason": reason}

    @SPENT.on("preparing")
    def launch_and_check(self, of, seed):
        launch, check = self.prepare(**of, seed=seed)
        return launch, SPENT.on("checks")(check)

    def measure(self, operation, variant, shape, seed):
        """The measurement with its samples, or with the reason why it has none. `prepare` returns what is timed, and
        `check(output, when)`, which returns the output's error or raises Wrong."""
        of = {"operation": operation, "variant": variant, "shape": shape}

        def attempt():
            launch, check = self.launch_and_check(of, seed)
            errors = [check(launch(), "before")]
            timed = self.time_whole(launch, of)
            errors.append(check(launch(), "after"))
            return {**timed, "max_error": max(errors), **self.further(launch, of)}

        with self.backend(variant):
            return {**of, **self.attempted(attempt)}

    def rival_in_turn(self, operation, variant, shape, seed, longest_wait):
        return RivalInTurn(self, operation, variant, shape, seed, longest_wait)


class RivalInTurn:
    """A rival that stays prepared, with its inputs, from one turn to the next; its output is compared before the first
    turn and after the last."""

    def __init__(self, bench, operation, variant, shape, seed, longest_wait):
        self.bench, self.longest_wait = bench, longest_wait
        self.of = {"operation": operation, "variant": variant, "shape": shape}
        self.seed, self.launch, self.check, self.errors = seed, None, None, []

    def turn(self):
        def attempt():
            if self.launch is None:
                launch, self.check = self.bench.launch_and_check(self.of, self.seed)
                self.errors.append(self.check(launch(), "before"))
                self.launch = launch
            return self.bench.time_whole(self.launch, self.of, self.longest_wait)

        with self.bench.backend(self.of["variant"]):
            return self.bench.attempted(attempt)

    def measurement(self, turns):
        """Of all turns together."""
        def attempt():
            self.errors.append(self.check(self.launch(), "after"))
            return {**in_turns.together(turns), "max_error": max(self.errors), **self.bench.further(self.launch, self.of)}

        failed = [turn for turn in turns if turn["status"] != "ok"]
        if failed:
            return {**self.of, **failed[0]}
        with self.bench.backend(self.of["variant"]):
            return {**self.of, **self.bench.attempted(attempt)}
