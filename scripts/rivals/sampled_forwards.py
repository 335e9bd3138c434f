"""What the GPU does while a rival's forwards run there, sampled as harness/counters/sampled_ranges.cpp samples ours: three rounds,
each of five forwards alone and of five that `ablate dev sample` watches, from an idle device to an idle device; the first of every
five is left out. PM sampling sees the whole device, whichever process works there.
"""
import json
import subprocess

import rival_record

ROUNDS = 3
FORWARDS_A_ROUND = 5
NVTX_RANGE = "Backbone"


class Unavailable(Exception):
    """Why nothing can be sampled, in one line."""


class AblateSample:
    """`ablate dev sample`, which stays alive from one rival to the next."""

    def __init__(self, program, device=0):
        try:
            self.process = subprocess.Popen([program, "dev", "sample", "--device", str(device)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise rival_record.BadRecord(f"--sample: {program}: {error.strerror}") from None

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, request):
        line = ""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            pass
        if not line:
            raise Unavailable(f"`ablate dev sample` ended (exit code {self.process.wait()})")
        answer = json.loads(line)
        if answer["status"] not in ("ok", "sampling"):
            raise Unavailable(answer["reason"])
        return answer

    def begin(self, range_us):
        self.ask({"begin": {"range_us": range_us}})

    def end(self, ranges):
        return self.ask({"end": {"ranges": ranges}})["ranges"]

    def finish(self, unsampled):
        return self.ask({"finish": {"unsampled": unsampled}})["sampled"]


class Marked:
    """Forwards between two stamps of the device's timer (clock_stamps.py), and in an NVTX range each."""

    def __init__(self, torch, stamps):
        self.torch, self.stamps = torch, stamps

    def run(self, launch):
        for i in range(FORWARDS_A_ROUND):
            self.torch.cuda.synchronize()
            self.torch.cuda.nvtx.range_push(NVTX_RANGE)
            self.stamps.before(i)
            launch()
            self.stamps.after(i)
            self.torch.cuda.synchronize()
            self.torch.cuda.nvtx.range_pop()
        return self.stamps.ranges(FORWARDS_A_ROUND)


def sampled(sampler, run):
    """`run` gives the ranges of FORWARDS_A_ROUND forwards, [from, to] in ns each, the device idle before and after. As
    `sampled` of a record."""
    unsampled = []
    for _ in range(ROUNDS):
        unsampled += run()[1:]
        lengths = sorted(to - since for since, to in unsampled)
        sampler.begin(lengths[len(lengths) // 2] / 1e3)
        sampler.end(run()[1:])
    return sampler.finish(unsampled)
