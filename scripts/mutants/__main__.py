"""Plants the faults of tests/mutants, one at a time, and holds the suite to finding each (docs/mutants.md)."""

import argparse
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock

import table
from patches import BadMutant, Mutant, mutated, read_mutants
from rebuild import FinishedBuild, NotBuilt, Workplace, read_build
from trial import Outcome, Trial, did_not_run, outcome_of

root = Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    shows_defaults = argparse.ArgumentDefaultsHelpFormatter
    parser = argparse.ArgumentParser(prog="scripts/mutants.sh", description=__doc__, formatter_class=shows_defaults)
    add = parser.add_argument
    add("--build", type=Path, default=root / "build/native", help="folder of a finished build")
    add("--out", type=Path, default=root / "out/mutants", help="folder for mutants.json and mutants.md")
    add("--mutants", type=Path, default=root / "tests/mutants", help="the patches, and the suite.json to find them with")
    add("--only", default=".", metavar="RE", help="mutants whose operation/name contains a match")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers at a time")
    add("--devices", default="0", metavar="N,N", help="GPUs as CUDA counts them, or host: its references")
    add("--runs-per-device", type=int, default=8, metavar="N", help="concurrent runs; their times mean nothing")
    add("--timeout", type=float, default=60, metavar="SECONDS", help="of a run")
    add("--seconds", type=float, default=float("inf"), help="time limit; mutants that have not started to compile by then are not run")
    add("--resume", action="store_true", help="keep the verdicts in --out if they are of the same build and device")
    add("--check", action="store_true", help="only check that all patches apply to this tree, and print their cases")
    add("--no-run", action="store_true", help="only build the mutants; needs no GPU")
    return parser.parse_args()


def device_facts(number: str) -> tuple[str, int | None]:
    """Name and compute capability of a GPU, 90 for 9.0; the host has none, and runs references alone."""
    if number == "host":
        return "the host", None
    command = ["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader", "--id", number]
    try:
        name, capability = subprocess.check_output(command, text=True).strip().split(", ")
    except (OSError, subprocess.CalledProcessError, ValueError) as e:
        raise SystemExit(f"mutants: GPU {number} cannot be asked for its name: {e}; --no-run needs none") from e
    return name, int(capability.replace(".", ""))


class Devices:
    """GPUs, each taken by a few runs at a time."""

    def __init__(self, numbers: list[str], runs_per_device: int):
        self.free: queue.Queue[str] = queue.Queue()
        for number in numbers * runs_per_device:
            self.free.put(number)

    @contextmanager
    def one(self):
        number = self.free.get()
        try:
            yield number
        finally:
            self.free.put(number)


class TimeIsUp(Exception):
    """What --seconds left no time for."""


class Session:
    def __init__(self, given: argparse.Namespace, build: FinishedBuild, scratch: Path, capability: int | None):
        self.given, self.build, self.scratch, self.capability = given, build, scratch, capability
        self.compilers = ThreadPoolExecutor(given.jobs)
        self.ends = time.monotonic() + given.seconds
        devices = given.devices.split(",")
        self.devices = Devices(devices, given.runs_per_device)
        # All compilers and all devices are busy, and as many mutants wait for either.
        self.mutants_at_a_time = 2 * (given.jobs + len(devices) * given.runs_per_device)

    def alone(self) -> "Session":
        """The same, a run on a GPU at a time."""
        given = argparse.Namespace(**{**vars(self.given), "runs_per_device": 1})
        session = Session(given, self.build, self.scratch / "alone", self.capability)
        session.ends = self.ends
        return session

    def run(self, program: Path, mutant: Mutant, cases: str, out: Path, seconds: float) -> Outcome:
        # Named as from here, so that what the table quotes of the program names no checkout.
        suite = Path(os.path.relpath(self.given.mutants / "suite.json"))
        trial = Trial(program, suite, mutant.run, cases, out, seconds)
        with self.devices.one() as device:
            return outcome_of(trial, device)

    def compile(self, work: Workplace, object_file: str) -> None:
        if time.monotonic() > self.ends:
            raise TimeIsUp
        work.compile(object_file)

    def outcome(self, mutant: Mutant) -> Outcome:
        work = Workplace(self.build, mutant, self.scratch / mutant.id, self.capability)
        try:
            objects = self.compilers.submit(work.prepare).result()
            list(self.compilers.map(partial(self.compile, work), objects))
            self.compilers.submit(work.link, objects).result()
            if self.given.no_run:
                return Outcome("not run", message=f"{len(objects)} objects compiled")
            return self.run(work.program, mutant, mutant.cases, work.folder / "out", self.given.timeout)
        except TimeIsUp:
            return Outcome("not run", message="the time was up")
        except (BadMutant, NotBuilt, OSError) as e:
            return Outcome("not built", message=str(e))
        finally:
            work.remove()

    def without_fault(self, kin: list[Mutant]) -> Outcome:
        """Of all cases that mutants of one operation name, by the program as it was built."""
        cases = "|".join(sorted({f"(?:{m.cases})" for m in kin}))
        out = self.scratch / f"{kin[0].operation} without a fault {len(kin[0].run)}"
        # These are the cases of several mutants.
        outcome = self.run(self.build.folder / "ablate", kin[0], cases, out, 10 * self.given.timeout)
        if outcome.cases:
            return outcome
        return Outcome("crashed", cases={kin[0].operation: "crashed"}, reasons={kin[0].operation: outcome.message})


def alike(mutants: list[Mutant]) -> dict[tuple, list[Mutant]]:
    """Mutants whose cases one run can hold."""
    groups: dict[tuple, list[Mutant]] = {}
    for m in mutants:
        groups.setdefault(m.group, []).append(m)
    return groups


def unsound(mutant: Mutant, without_fault: Outcome) -> str:
    """Only a case that is right without the fault can tell of it: those that are not, and why."""
    cases = without_fault.cases
    named = {id: status for id, status in cases.items() if re.search(mutant.cases, id)}
    faulty = {id: status for id, status in (named or cases).items() if status not in ("ok", *did_not_run)}
    return "; ".join(f"{id}: {s}: {without_fault.reasons.get(id, 'no reason given')}" for id, s in faulty.items())


def judge(session: Session, mutants: list[Mutant], told: dict[str, Outcome], save: Callable[[], None]) -> None:
    """Puts into `told` what is found of each, by id, and has it saved, as soon as it is. An interrupt leaves the
    others out."""
    groups = {} if session.given.no_run else alike(mutants)
    sound = ThreadPoolExecutor(len(groups) or 1)
    # Few at a time, so that the first verdict does not wait for the last object, nor the disk hold a copy for each.
    waiting = ThreadPoolExecutor(session.mutants_at_a_time)

    def tell(mutant: Mutant) -> None:
        outcome = session.outcome(mutant)
        if groups and (reason := unsound(mutant, groups_without_fault[mutant.group].result())):
            outcome = Outcome("unsound", message=f"without the fault: {reason}")
        told[mutant.id] = outcome
        save()
        case = f" ({outcome.where})" if outcome.verdict == "survived" else ""
        print(f"{outcome.verdict:10} {mutant.id}: {outcome.message}{case}", flush=True)

    try:
        groups_without_fault = {key: sound.submit(session.without_fault, kin) for key, kin in groups.items()}
        for each in [waiting.submit(tell, m) for m in sorted(mutants, key=session.build.cost, reverse=True)]:
            each.result()
    finally:
        for each in (sound, waiting):
            each.shutdown(wait=False, cancel_futures=True)


def judge_twice(beside: Session, alone: Session, mutants: list[Mutant], told: dict[str, Outcome],
                save: Callable[[], None]) -> None:
    """Beside other runs one may lack memory, or a host that launches quickly enough. So what came to no verdict there
    runs once more, alone on its GPU."""
    judge(beside, mutants, told, save)
    if again := [m for m in mutants if told[m.id].verdict in ("crashed", "unsound")]:
        judge(alone, again, told, save)


def version_of(program: Path) -> dict[str, str]:
    """What the program says of its build: commit, sources and so on; nothing where it has not been linked."""
    if not program.exists():
        return {}
    words = (line.split(maxsplit=1) for line in subprocess.check_output([program, "--version"], text=True).splitlines())
    return {both[0]: both[1] for both in words if len(both) == 2}


def check(mutants: list[Mutant]) -> int:
    for mutant in mutants:
        mutated(mutant, root)
        print(f"{mutant.id} {mutant.cases}")
    return 0


def main() -> int:
    given = arguments()
    if not given.only:
        raise SystemExit("mutants: --only '' names none; all run without --only")
    mutants = read_mutants(given.mutants, given.only)
    if not mutants:
        raise SystemExit(f"mutants: no patch under {given.mutants} matches '{given.only}'")
    if given.check:
        return check(mutants)
    build = read_build(given.build.resolve())
    device, capability = ("no GPU", None) if given.no_run else device_facts(given.devices.split(",")[0])
    version = version_of(build.folder / "ablate")
    told = table.read(mutants, given.out, device, version) if given.resume else {}
    left = [m for m in mutants if m.id not in told]

    def of_all() -> list[tuple[Mutant, Outcome]]:
        return [(m, told.get(m.id, Outcome("not run", message="interrupted"))) for m in mutants]

    saving = Lock()

    def save() -> None:
        with saving:
            table.write(of_all(), device, version, given.out)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="mutants.", ignore_cleanup_errors=True) as scratch:
        try:
            beside = Session(given, build, Path(scratch), capability)
            judge_twice(beside, beside.alone(), left, told, save)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    save()
    verdicts = Counter(o.verdict for _, o in of_all())
    print(f"{table.counted(verdicts)}; see {given.out}/mutants.md", flush=True)
    wanted = "not run" if given.no_run else "killed"
    if any(m.id not in told for m in mutants):
        os._exit(1)  # without waiting for what is still compiled
    return 0 if verdicts[wanted] == len(mutants) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadMutant, table.OtherTable) as e:
        raise SystemExit(f"mutants: {e}") from e
