"""The way from a record's workloads to rivals in the record, for scripts that measure kernels through PyTorch: which are
measured, in which order and how long, and the arguments that scripts have in common. With --in-turns Ablate's own variants
are measured again, in turn with the rivals (in_turns.py).
"""
import argparse
import dataclasses
import pathlib
import re
import signal
import sys
import time
import typing

import bench_torch
import in_turns
import kept_measurements
import rival_record
from spent_seconds import SPENT


INTERRUPTED = 130  # exit code, as of `ablate run`


@dataclasses.dataclass(frozen=True)
class Contest:
    """`rivals`: description and switches by variant; `operations`: all that the script may add them to. `is_for_rivals`
    and `shape_of` take a workload; what a shape says decides a time. `bench` is a class, a Bench that has
    `prepare(operation, variant, shape, seed)`. `ours`: by operation, the variants of Ablate that take turns with the
    rivals. `competes` takes a variant and a shape; `size_of` a shape: the small ones are measured first. `input_of` takes an
    operation and a shape: those that have it in common follow each other, so that what a bench makes for it is made once.
    `methods`: how the workloads may have been timed."""
    script: str
    rivals: dict
    operations: tuple
    is_for_rivals: typing.Callable
    shape_of: typing.Callable
    bench: type
    ours: dict
    competes: typing.Callable = lambda variant, shape: True
    size_of: typing.Callable = lambda shape: 0
    input_of: typing.Callable = lambda operation, shape: (operation, *shape.values())
    methods: tuple = ("events",)

    def shapes_of(self, workloads):
        """Each (operation, shape) once, by size, those of an input together, otherwise in the record's order."""
        found = {}
        for workload in workloads:
            shape = self.shape_of(workload)
            found.setdefault((workload["operation"], *shape.values()), (workload["operation"], shape))
        by_input = {}
        for of in sorted(found.values(), key=lambda of: self.size_of(of[1])):
            by_input.setdefault(self.input_of(*of), []).append(of)
        return [of for together in by_input.values() for of in together]

    def rivals_of(self, shape):
        return [variant for variant in self.rivals if self.competes(variant, shape)]


class TimeLimit:
    """Seconds after which no further measurement begins; None: no limit."""

    def __init__(self, seconds):
        self.began, self.limit = time.monotonic(), seconds

    def seconds(self):
        """So far."""
        return time.monotonic() - self.began

    def is_up(self):
        return self.limit is not None and self.seconds() >= self.limit


class Stopped(BaseException):
    """Somebody wants the script to end: no measurement's own failure."""


class StopOnRequest:
    """Within it SIGTERM, as a time limit sends it, and SIGINT end what is measured, and nothing else; `came` says so."""

    def __init__(self):
        self.came = False

    def __enter__(self):
        def stop(*_):
            raise Stopped
        self.before = signal.signal(signal.SIGTERM, stop)
        return self

    def __exit__(self, kind, *_):
        signal.signal(signal.SIGTERM, self.before)
        self.came = kind in (Stopped, KeyboardInterrupt)
        return self.came


def minimum_samples(facts):
    """By the rule that ours were sampled by, so that long launches need not be more."""
    return facts.get("settings", {}).get("sampling", {}).get("minimum_samples", bench_torch.MINIMUM_SAMPLES)


def measure_all(contest, bench, given, arguments, record, workloads, stop):
    """The rivals on each shape of these workloads once, those that take turns with ours in turns; until `stop` comes."""
    facts = record["context"]["ablate"]
    limit = TimeLimit(given.seconds)
    bench.minimum_samples = minimum_samples(facts)
    found = kept_measurements.Found({"arguments": arguments, **bench.facts()}, given.keep)
    if given.resume:
        found.go_on(kept_measurements.read_measurements(given.keep))
    bench.prepare_flush(facts["device"]["l2_bytes"])
    bench.prepare_clock()
    shapes = contest.shapes_of(workloads)

    def measure_left(of_input=None):
        """Of an input, or of all."""
        left = [(operation, variant, shape) for operation, shape in shapes
                if of_input in (None, contest.input_of(operation, shape))
                for variant in contest.rivals_of(shape) if not found.has(operation, variant, shape)]
        for number, of in enumerate(left, 1):
            if limit.is_up():
                break
            kept_measurements.say_what_begins(number, len(left), limit.seconds(), *of)
            found.add(bench.measure(*of, facts["seed"]))

    with stop:
        if given.in_turns:
            with in_turns.Ours(given.in_turns, given.suite or in_turns.suite_of(facts), given.turn_seconds) as ours:
                in_turns.take_turns(contest, bench, ours, given, record, workloads, found, limit, behind=measure_left)
        measure_left()
        bench.finish(found, facts["seed"])
    print(SPENT.text(), file=sys.stderr)
    return found.all


def expect_one_gpu(path, facts):
    """A merged record's cases may be of several GPUs; a rival ran on one of them at most."""
    specimens = {part["specimen"] for part in facts.get("parts", [])}
    if len(specimens) > 1:
        raise rival_record.BadRecord(f"{path}: /context/ablate/parts: expected a record of one GPU, found {len(specimens)}")


def expect_same_gpu(path, recorded, measured):
    def plain(uuid):
        return uuid and uuid.removeprefix("GPU-").lower()

    if recorded["kind"] != "gpu" or recorded["name"] != measured["name"]:
        raise rival_record.BadRecord(f"{path}: /context/ablate/device/name: expected a record of this GPU, "
                                     f"'{measured['name']}', found '{recorded['name']}'")
    if recorded.get("uuid") and measured["uuid"] and plain(recorded["uuid"]) != plain(measured["uuid"]):
        raise rival_record.BadRecord(f"{path}: /context/ablate/device/uuid: expected a record of this GPU, "
                                     f"{plain(measured['uuid'])}, found {recorded['uuid']}")


def expect_same_software(path, earlier, software):
    """Of the rivals that stay beside those measured now; `earlier`: the call that measured them, or None."""
    if earlier and earlier["software"] != software:
        raise rival_record.BadRecord(f"{path}: /context/ablate/rivals: expected what stays beside new measurements to be of "
                                     f"the same software, {software}, found {earlier['software']}")


def of_any_machine(arguments):
    """These arguments, less where the measurements are kept and whether some were there already, on which the record does not
    depend; paths in the working folder are relative to it."""
    left = [a for a in arguments if a != "--resume" and not a.startswith("--keep=")]
    if "--keep" in left:
        at = left.index("--keep")
        del left[at:at + 2]
    here = f"{pathlib.Path.cwd()}/"
    return [a.removeprefix(here) for a in left]


def positive(text):
    """Of an argument."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, found {text}")
    return number


def parser(description):
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("record", type=pathlib.Path, help="a record.json of `ablate run`, or its directory")
    made.add_argument("--maximum-seconds", type=float, default=0.5, metavar="S",
                      help="of sampling, for each shape and rival [%(default)s]")
    made.add_argument("--seconds", type=float, metavar="S",
                      help="start no further measurement after this time, compiling included [no limit]")
    made.add_argument("--only", default="", metavar="RE",
                      help="measure only workloads with a case whose id matches; the record keeps others [all]")
    made.add_argument("--rivals", nargs="+", metavar="VARIANT",
                      help="measure only these; the record keeps others [all of the script]")
    made.add_argument("--out", type=pathlib.Path, metavar="FILE", help="file for the record [in place]")
    made.add_argument("--keep", type=pathlib.Path, metavar="FILE", help="also write each measurement there when it is done")
    made.add_argument("--resume", action="store_true", help="continue from --keep's file of an earlier run")
    made.add_argument("--from-json", type=pathlib.Path, metavar="FILE",
                      help="use --keep's file and measure nothing; needs neither PyTorch nor a GPU")
    turns = made.add_argument_group("ours and the rivals in turns, A, B, B, A, each as long as its clock takes to be steady")
    turns.add_argument("--in-turns", metavar="ABLATE", help="the program `ablate`, whose variants take turns with the rivals")
    turns.add_argument("--suite", type=pathlib.Path, metavar="FILE", help="the suite of its cases [suites/<the record's>.json]")
    turns.add_argument("--filter", default="", metavar="RE", help="only workloads with a case whose id matches [all]")
    turns.add_argument("--ours", nargs="+", metavar="VARIANT", help="our variants [the script's list]")
    turns.add_argument("--fastest-of-ours", type=positive, metavar="N",
                       help="of these only the N that the record has as the fastest on a workload, which claims of best forms "
                            "take [all]")
    turns.add_argument("--rounds", type=int, default=7, metavar="N",
                       help="turns of each, over which a ratio has its interval [%(default)s]")
    turns.add_argument("--turn-seconds", type=float, default=0.5, metavar="S",
                       help="longest wait for a steady clock in one turn [%(default)s]")
    return made


def of_rivals(contest, variants):
    """The contest of these rivals alone; None: of all."""
    unknown = [variant for variant in variants or () if variant not in contest.rivals]
    if unknown:
        raise rival_record.BadRecord(f"--rivals: expected some of {', '.join(contest.rivals)}, found {', '.join(unknown)}")
    return dataclasses.replace(contest, rivals={v: contest.rivals[v] for v in variants}) if variants else contest


def add_rivals(contest, given, arguments, operations):
    """Measures the rivals on the workloads of these operations in the record that `given`, the parsed arguments, names,
    and puts them into it."""
    path = rival_record.file_of(given.record)
    record = rival_record.read_record(path)
    facts = record["context"]["ablate"]
    workloads = rival_record.workloads(record, operations, contest.is_for_rivals, leave_out=contest.rivals,
                                       methods=contest.methods)
    contest, stop = of_rivals(contest, given.rivals), StopOnRequest()
    if not workloads:
        raise rival_record.BadRecord(f"{path}: /benchmarks: expected cases of {' or '.join(operations)} in the cache "
                                     "state cold-clean, found none")
    if given.resume and not given.keep:
        raise rival_record.BadRecord("--resume: expected --keep with the file to go on from")
    if given.keep and given.keep.exists() and not given.resume and not given.from_json:
        raise rival_record.BadRecord(f"{given.keep}: is there already; expected a new file, or --resume to go on from it")
    expect_one_gpu(path, facts)
    if given.from_json:
        measured = kept_measurements.read_measurements(given.from_json)
        arguments = measured.get("arguments", arguments)
        expect_same_gpu(path, facts["device"], measured["device"])
    else:
        bench = contest.bench(given.maximum_seconds)
        expect_same_gpu(path, facts["device"], bench.facts()["device"])
        arguments = of_any_machine(arguments)
        wanted = [workload for workload in workloads if re.search(given.only, workload["name"])]
        if not wanted:
            raise rival_record.BadRecord(f"{path}: /benchmarks: expected a workload with a case that matches --only "
                                         f"'{given.only}', found none")
        if given.only or given.rivals:
            expect_same_software(path, rival_record.earlier_call(record, contest.script), bench.facts()["software"])
        measured = measure_all(contest, bench, given, arguments, record, wanted, stop)
        if stop.came:
            print(f"stopped: the record gets the {len(measured['measurements'])} measurements made so far", file=sys.stderr)
    if given.keep:
        kept_measurements.keep_measurements(given.keep, measured)

    is_whole = not given.only and not given.rivals and not stop.came
    earlier = None if is_whole else rival_record.earlier_call(record, contest.script)
    expect_same_software(path, earlier, measured["software"])
    replaced = None if is_whole else rival_record.measured_cases(contest, workloads, measured["measurements"])
    rival_record.remove_rivals(record, contest.operations, contest.rivals, replaced)
    missing = rival_record.add_rivals(record, contest, workloads, measured["measurements"])
    rival_record.add_turns(record, measured.get("in_turns", []))
    present = [operation for operation in operations if any(w["operation"] == operation for w in workloads)]
    rival_record.describe(record, contest.script, arguments, contest.rivals, present, measured["software"],
                          measured["date"], earlier)
    rival_record.write_record(given.out or path, record)
    if missing and is_whole:
        print(f"{missing} cases have no rival: nothing of their shape was measured", file=sys.stderr)
    if stop.came:
        sys.exit(INTERRUPTED)


def exit_of(script, main):
    """Runs `main(arguments)`; a record that it refuses ends the program with one line."""
    try:
        main(sys.argv[1:])
    except rival_record.BadRecord as refused:
        sys.exit(f"{pathlib.PurePath(script).name}: {refused}")
