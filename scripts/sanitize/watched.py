"""Cases under one tool, in processes beside each other: each takes some cases, one that dies or hangs costs the case it
was at, and the rest of its cases go to a fresh process."""
import collections
import dataclasses
import json
import os
import re
import signal
import subprocess
import threading
import time

import exceptions
from reports import Log, function_name

# Beyond the defaults: allocations are padded, so that what runs over one does not end in the next (memcheck); outputs
# with room to spare may be read back whole (initcheck). Races are looked for in the program's own kernels alone.
OPTIONS = {"memcheck": ["--padding", "65536"], "racecheck": ["--kernel-name", "kns=_ZN6ablate"], "initcheck": ["--check-api-memory-access", "no"],
           "synccheck": []}
# A tool takes long to start and to instrument a kernel; racecheck takes longer for a case.
CASES_OF_A_PROCESS = {"memcheck": 20, "racecheck": 4, "initcheck": 15, "synccheck": 20}

TIME_IS_UP = "the time was up"
NO_SHARED_MEMORY = "none of its kernels has shared memory"
SEEN_ELSEWHERE = "other cases of its variant launch the same kernels"


class Process:
    """`ablate dev launch --bare` of some cases under a tool, read line by line."""

    def __init__(self, words, log_path, device):
        self.device = device
        self.log = Log()
        self.ended_cases = {}                       # case -> {"output", "message", "seconds", …}
        self.launches = collections.Counter()       # kernel -> launches of cases that ended
        self.shared_bytes = {}                      # kernel -> the most that a launch of it had a block
        self.case = self.kernel = None
        self.case_began = self.began = time.monotonic()
        self.killed_for = None
        self.last_words = ""
        self._kernels_of_case, self._with_shared_memory = [], set()
        self._file = open(log_path, "w", encoding="utf-8")
        self._popen = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       errors="replace", start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._popen.stdout:
            self._file.write(line)
            if self.log.feed(line, self.case, self.kernel):
                continue
            try:
                event = json.loads(line) if line.startswith("{") else None
            except ValueError:
                event = None
            if event is None:
                self.last_words = line.strip() or self.last_words
            elif "case" in event:
                self.case, self.kernel, self.case_began = event["case"], None, time.monotonic()
                self._kernels_of_case, self._with_shared_memory = [], set()
            elif "kernel" in event:
                self.kernel = function_name(event["kernel"])
                self._kernels_of_case.append(event["kernel"])
                # A library's kernels have names of their own, and shared memory that is the library's affair.
                shared = event.get("shared_bytes", 0)
                self.shared_bytes[event["kernel"]] = max(shared, self.shared_bytes.get(event["kernel"], 0))
                if shared:
                    self._with_shared_memory.add(event["kernel"])
            elif "name" in event:
                self.ended_cases[event["name"]] = {"output": event["output"], "message": event.get("message", ""),
                                                   "kernels_with_shared_memory": self._with_shared_memory,
                                                   "seconds": round(time.monotonic() - self.case_began, 2)}
                self.launches.update(self._kernels_of_case)
                self._kernels_of_case, self._with_shared_memory = [], set()
                self.case = None
        self._file.close()

    def functions(self):
        """Names of the kernels that ran, or were about to."""
        return {function_name(kernel) for kernel in [*self.launches, *self._kernels_of_case]}

    def kill(self, why):
        self.killed_for = why
        try:
            os.killpg(self._popen.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def has_ended(self):
        return self._popen.poll() is not None and not self._reader.is_alive()

    def exit_code(self):
        return self._popen.wait()

    def why_it_died(self):
        """Why a case that began did not end."""
        code = self.exit_code()
        if self.killed_for:
            return self.killed_for
        what = f"the process ended with {code}: {self.last_words}"
        return what if self.log.counted is not None else what + " (without the tool's summary)"


@dataclasses.dataclass
class Share:
    """Cases of one process; `unwatched`: functions that the tool leaves out there."""
    cases: list
    unwatched: frozenset = frozenset()


def shares(cases, chunk, unwatched, seconds, large_bytes=500_000_000, slow_seconds=1):
    """What each process takes, in order; `cases`: name -> bytes on the device; `seconds`: case -> what tools before took over
    it. Large and slow ones go first and alone, so that none is left over when all else has ended; the others beside their
    neighbors, which run the same kernels: a tool takes long to instrument a kernel. `unwatched`: case -> functions; a process
    watches what one of its cases watches."""
    alone = [case for case, size in cases.items() if size >= large_bytes or seconds.get(case, 0) >= slow_seconds]
    alone.sort(key=lambda case: (seconds.get(case, 0), cases[case]), reverse=True)
    others = [case for case in cases if case not in set(alone)]
    together = [[case] for case in alone] + [others[i:i + chunk] for i in range(0, len(others), chunk)]
    return [Share(share, frozenset.intersection(*(frozenset(unwatched.get(case, ())) for case in share))) for share in together]


def variant_of(case):
    return tuple(case.split("/")[:2])


# What more variants launch is no variant's own, but an oracle's or of the harness.
FEW_VARIANTS = 8


def operation_of(case):
    return variant_of(case)[0]


def simplest_first(kernels):
    """Operations, those whose cases launch the fewest kernels first: a network launches what other operations are."""
    counts = collections.defaultdict(list)
    for case, launched in kernels.items():
        counts[operation_of(case)].append(len(launched))
    return sorted(counts, key=lambda operation: (sum(counts[operation]) / len(counts[operation]), operation))


def fewest(cases, kernels):
    """Few of `cases` that between them launch every kernel of every variant; a kernel of many variants, or of more than
    one operation, is launched once, by the simplest operation that has it. `kernels`: case -> kernels. Returns
    case -> functions that another case of them watches."""
    variants = collections.defaultdict(set)
    for case in cases:
        for kernel in kernels[case]:
            variants[kernel].add(variant_of(case))
    common = {kernel for kernel, of in variants.items() if len(of) > FEW_VARIANTS or len({operation for operation, _ in of}) > 1}
    sought = {case: {(kernel, None if kernel in common else variant_of(case)) for kernel in kernels[case]} for case in cases}
    missing, watches = set().union(*sought.values()), {}
    for operation in simplest_first({case: kernels[case] for case in cases}):
        own = [case for case in cases if operation_of(case) == operation]
        while found := sought[best := max(own, key=lambda case: len(sought[case] & missing))] & missing:
            watches[best] = {function_name(kernel) for kernel, _ in found}
            missing -= found
    return {case: {function_name(kernel) for kernel in kernels[case] & common} - watches[case] for case in cases if case in watches}


def mangled_part(function):
    """ablate::matmul::multiply as machine code spells it, without what follows: 6ablate6matmul8multiply."""
    return "".join(f"{len(word)}{word}" for word in function.split("::"))


class ToolRun:
    """All cases under one tool. `results`: case -> {"status": ok, differs, failed, timeout, not_run or not_needed, …}.
    `not_needed`: case -> why the tool need not see it; `unwatched`: case -> functions that it need not watch there.
    `seconds`: case -> what tools before took over it. `command`: what to start, given parts of the names of kernels not to
    watch."""

    def __init__(self, tool, cases, not_needed, unwatched, seconds, known, command, directory, limits, say):
        self.tool, self.command, self.directory, self.limits, self.say = tool, command, directory, limits, say
        self.known = known
        needed = {case: size for case, size in cases.items() if case not in not_needed}
        self.queue = collections.deque(shares(needed, limits.chunk or CASES_OF_A_PROCESS[tool], unwatched, seconds))
        self.results = {case: {"status": "not_run", "reason": TIME_IS_UP} if case in needed else
                        {"status": "not_needed", "reason": not_needed[case]} for case in cases}
        self.launches, self.reports = collections.Counter(), []
        self.shared_bytes = {}
        self.kernels_with_shared_memory = {}        # case -> its own kernels that have some
        self._count = 0

    def run(self):
        began = time.monotonic()
        running = {}                                # Process -> Share
        while self.queue or running:
            time_is_up = time.monotonic() - began > self.limits.seconds
            if time_is_up:
                self.queue.clear()
            while self.queue and len(running) < self.limits.jobs:
                share = self.queue.popleft()
                running[self._start(share, running)] = share
            for process in list(running):
                if process.has_ended():
                    self._take(process, running.pop(process))
                elif time_is_up:
                    process.kill(TIME_IS_UP)
                elif time.monotonic() - process.case_began > self.limits.case_seconds:
                    process.kill(f"more than {self.limits.case_seconds} s")
            time.sleep(0.05)
        self.seconds = round(time.monotonic() - began, 1)

    def _start(self, share, running):
        """On the GPU that has the fewest processes."""
        busy = collections.Counter(process.device for process in running)
        device = min(self.limits.devices, key=lambda d: busy[d])
        self._count += 1
        log = self.directory / f"{self.tool}-{self._count:03}.log"
        only_these = "^(" + "|".join(re.escape(case) for case in share.cases) + ")$"
        return Process([*self.command(sorted(map(mangled_part, share.unwatched))), "--device", str(device), "--filter", only_these.replace("\\-", "-")], log, device)

    def _take(self, process, share):
        cases = share.cases
        if process.log.is_cut and len(cases) > 1:   # each case gets all the reports that the tool prints
            self.queue.extend(Share([case], share.unwatched) for case in cases)
            return
        lost = self._lost_of(process, cases)
        for case in lost:
            self.results[case] = {"status": "timeout" if process.killed_for else "failed",
                                  "reason": process.why_it_died()}
        # Without the tool's last word nobody knows that it had said all of the cases that ended.
        trusted = process.ended_cases if process.log.counted is not None else {}
        for case, ended in trusted.items():
            self.results[case] = {"status": "ok" if ended["output"] == "ok" else "differs", "reason": ended["message"],
                                  "seconds": ended["seconds"]}
            self.kernels_with_shared_memory[case] = ended["kernels_with_shared_memory"]
        for kernel, shared in process.shared_bytes.items():
            self.shared_bytes[kernel] = max(shared, self.shared_bytes.get(kernel, 0))
        launched = process.functions()
        for report in process.log.reports:
            report.attribute(launched)
        if process.log.is_cut and (excepted := self._kernels_of_exceptions(process.log.reports) - share.unwatched):
            # What the tool did not print may be of another kernel: it runs once more without these.
            self.queue.append(Share(cases, share.unwatched | excepted))
        for report in process.log.reports:
            if trusted or report.case in lost or not report.case or process.killed_for == TIME_IS_UP:
                self.reports.append(report)
        if trusted:
            self.launches.update(process.launches)
        again = [case for case in cases if case not in lost and case not in trusted]
        if again and process.killed_for != TIME_IS_UP:
            self.queue.append(Share(again, share.unwatched))
        self._say_what_ended(process)

    def _kernels_of_exceptions(self, reports):
        return {report.kernel for report in reports if exceptions.which(self.known, self.tool, report)}

    def _lost_of(self, process, cases):
        """The case that brought the process down; all, where none would fare better in a fresh one."""
        if process.killed_for == TIME_IS_UP:
            return []
        if all(case in process.ended_cases for case in cases):
            return [] if process.log.counted is not None else cases
        if process.case or process.ended_cases:
            return [process.case or next(case for case in cases if case not in process.ended_cases)]
        return cases

    def _say_what_ended(self, process):
        slowest = max(process.ended_cases.items(), key=lambda item: item[1]["seconds"], default=None)
        needed = [r for r in self.results.values() if r["status"] != "not_needed"]
        self.say(f"{self.tool}: {sum(r['status'] != 'not_run' for r in needed)} of {len(needed)} cases, "
                 f"{len(process.log.reports)} reports in {time.monotonic() - process.began:.1f} s"
                 + (f"; slowest {slowest[1]['seconds']} s: {slowest[0]}" if slowest else ""))
