"""Ablate's variants and rivals in turns on one GPU: A, B, B, A, so that neither finds a cooler chip or a higher clock than the
other. `ablate dev turns` stays alive for ours and this process for the rivals; each waits until the other has left the GPU idle.
"""
import json
import pathlib
import re
import subprocess
import sys

import rival_record
from spent_seconds import SPENT


def suite_of(facts):
    return pathlib.Path(__file__).resolve().parents[2] / "suites" / f"{facts['suite']['name']}.json"


class Ours:
    """`ablate dev turns`, asked for one case after the other."""

    def __init__(self, program, suite, longest_wait):
        try:
            self.process = subprocess.Popen([program, "dev", "turns", str(suite), "--longest-wait", str(longest_wait)],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise rival_record.BadRecord(f"--in-turns: {program}: {error.strerror}") from None
        self.longest_wait = longest_wait

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    @SPENT.on("turns of ours")
    def turn(self, case):
        try:
            self.process.stdin.write(case + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise rival_record.BadRecord(f"--in-turns: `ablate dev turns` ended (exit code {self.process.wait()}) when asked "
                                         f"for {case}")
        answer = json.loads(line)
        if answer["status"] != "ok":
            return answer
        timed = answer["time_us"]
        return {"status": "ok", "samples_us": timed["samples"], "clock": timed["clock"],
                "stopped_by": timed["stopped_by"], "warmup_launches": timed["warmup_launches"]}


def turn_in_record(turn):
    clock = turn["clock"]
    return {"median_us": rival_record.to_nanoseconds(rival_record.summarize(turn["samples_us"])["median"]),
            **{key: clock[key] and clock[key]["median"] for key in ("sm_mhz", "power_w")},
            **{key: clock[key] for key in ("event_reasons", "steady")}}


def together(turns):
    """One measurement of all turns."""
    clocks = [turn["clock"] for turn in turns]

    def spread(key):
        told = [clock[key] for clock in clocks if clock[key]]
        return {"median": rival_record.median(sorted(of["median"] for of in told)), "min": min(of["min"] for of in told),
                "max": max(of["max"] for of in told)} if told else None

    told = [clock["event_reasons"] for clock in clocks if clock["event_reasons"] is not None]
    share = {"share_of_work": turns[0]["share_of_work"]} if "share_of_work" in turns[0] else {}
    return {**share, "samples_us": [sample for turn in turns for sample in turn["samples_us"]],
            "warmup_launches": sum(turn["warmup_launches"] for turn in turns), "stopped_by": turns[-1]["stopped_by"],
            "clock": {"steady": all(clock["steady"] for clock in clocks), "sm_mhz": spread("sm_mhz"),
                      "power_w": spread("power_w"), "power_cap_w": clocks[0]["power_cap_w"],
                      "event_reasons": sorted(set().union(*told)) if told else None,
                      "seconds": round(sum(clock["seconds"] for clock in clocks), 3),
                      "dropped_samples": sum(clock["dropped_samples"] for clock in clocks)}}


def matches(contest, record, given):
    """Of each shape the first workload that ours take turns on, by size: (workload, shape, the ids of our cases by
    variant, of as many as `given` says, the fastest by the record)."""
    wanted = re.compile(given.filter)
    found = {}
    for entry in record["benchmarks"]:
        variants = given.ours or contest.ours.get(entry["operation"], ())
        if entry["variant"] not in variants or entry["cache_state"] != "cold-clean" or \
                entry["time_us"]["method"] != "events" or not contest.is_for_rivals(entry) or \
                not wanted.search(entry["name"]):
            continue
        shape = contest.shape_of(entry)
        key = (entry["operation"], *shape.values())
        workload, _, ours = found.setdefault(key, (entry, shape, {}))
        if workload["axes"] == entry["axes"]:
            ours[entry["variant"]] = entry

    def names(ours):
        wanted = ours
        if given.fastest_of_ours:
            wanted = sorted(ours, key=lambda variant: ours[variant]["time_us"]["median"])[:given.fastest_of_ours]
        return {variant: entry["name"] for variant, entry in ours.items() if variant in wanted}
    by_size = sorted(found.values(), key=lambda match: contest.size_of(match[1]))
    return [(workload, shape, names(ours)) for workload, shape, ours in by_size]


def take_turns(contest, bench, ours, given, record, workloads, found, limit, behind=lambda of_input: None):
    """Adds to `found` measurements of the rivals, as bench.measure makes them, and for each rival its rounds with ours:
    {name, the id of its case; rounds, of each {variant: turn}}. Leaves out what is there already. `behind` is called with a
    workload's input (contest.input_of) when its turns are over and what was made for it is still there."""
    of_these = {workload["operation"] for workload in workloads}
    for workload, shape, cases in matches(contest, record, given):
        operation, variants = workload["operation"], contest.rivals_of(shape)
        if limit.is_up() or operation not in of_these or \
                all(found.has(operation, variant, shape) for variant in variants):
            continue
        rivals = {variant: bench.rival_in_turn(operation, variant, shape, record["context"]["ablate"]["seed"],
                                               ours.longest_wait) for variant in variants}
        turns = {variant: [] for variant in [*cases, *rivals]}

        def goes_on(variant):
            return all(turn["status"] == "ok" for turn in turns[variant])
        order = list(turns)
        for _ in range(given.rounds):
            if not any(map(goes_on, rivals)):
                break
            for variant in filter(goes_on, order):
                turns[variant].append(rivals[variant].turn() if variant in rivals else ours.turn(cases[variant]))
            # After a kernel at the power cap the GPU is warmer than after a pause, so no rival always follows the same one.
            order = order[1:] + order[:1]
        for variant in cases:
            if turns[variant][-1]["status"] != "ok":
                last = turns.pop(variant)[-1]
                print(f"{cases[variant]}: {last['status']}: {last['reason']}", file=sys.stderr)
        for variant, rival in rivals.items():
            measurement, rounds = rival.measurement(turns[variant]), None
            if measurement["status"] == "ok":
                of_pair = {v: t for v, t in turns.items() if v == variant or v in cases}
                rounds = {"name": rival_record.case_id(workload, variant),
                          "rounds": [{v: turn_in_record(t[i]) for v, t in of_pair.items()} for i in range(given.rounds)]}
            found.add(measurement, rounds)
        behind(contest.input_of(operation, shape))
