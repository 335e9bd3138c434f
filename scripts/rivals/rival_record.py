"""What somebody else's kernels add to a record of Ablate: further variants of workloads that the record already has.

A measurement is a dictionary: `operation`, `variant`, `shape` (the figures that its time depends on) and `status`;
where that is "ok" also `samples_us`, `warmup_launches`, `stopped_by` and `max_error`, otherwise `reason`. Where a launch
did only a part of the shape's work, `share_of_work` says which, and `samples_us` are stretched to the whole. `figures`, where
there are any, are numbers for the entry's `quality`; `sampled`, where its forwards were sampled, is as in a record, or None beside
`sampled_reason`. One measurement serves all workloads of its shape. Work, floors and
facts of the input are the workload's, whoever does it.
"""
import json
import lzma
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reports/python"))

import ablate_record  # noqa: E402

RIVALS_ADDED = " Rivals were added after the run: "
# As scripts/pack_record.sh compresses.
PACKED = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]
NO_COUNTERS = "a rival is measured in a process of its own, where Ablate reads no counters"


class BadRecord(Exception):
    """One line: file, place and what was expected there."""


file_of = ablate_record.file_of


def read_record(path):
    try:
        return ablate_record.read_json(path)
    except ablate_record.RecordError as error:
        raise BadRecord(str(error)) from None


def write_record(path, record):
    """As Ablate writes it, an entry a line, compressed where the name ends in .xz; the file appears whole or not at all."""
    def lines(key):
        entries = [json.dumps(entry, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
                   for entry in record[key]]
        return f'"{key}": [' + ("\n" + ",\n".join(entries) + "\n]" if entries else "]")

    context = json.dumps(record["context"], ensure_ascii=False, indent=1, allow_nan=False)
    unfinished = f"{path}.{os.getpid()}.part"
    text = ('{\n"context": ' + context + ",\n" + lines("benchmarks") + ",\n" + lines("unmeasured") + "\n}\n").encode("utf-8")
    with open(unfinished, "wb") as file:
        file.write(lzma.compress(text, filters=PACKED) if str(path).endswith(".xz") else text)
    os.replace(unfinished, path)


def median(ordered):
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def summarize(samples):
    """Median, minimum, median absolute deviation and 95 % interval of the median, as harness/timing/statistics.cpp."""
    if not samples or not all(math.isfinite(sample) and sample > 0 for sample in samples):
        raise ValueError("expected samples, each a positive number of microseconds")
    ordered = sorted(samples)
    middle = median(ordered)
    # The number of samples below the true median is binomial: the interval runs between two of the ordered samples.
    reach = 2.1 * math.sqrt(len(ordered)) / 2
    low = max(0, math.floor(len(ordered) / 2 - reach))
    high = min(len(ordered) - 1, math.ceil(len(ordered) / 2 + reach))
    return {"median": middle, "min": ordered[0], "mad": median(sorted(abs(sample - middle) for sample in samples)),
            "ci95_low": ordered[low], "ci95_high": ordered[high]}


def to_nanoseconds(microseconds):
    return round(microseconds, 3)


def time_us(measurement):
    samples = [to_nanoseconds(sample) for sample in measurement["samples_us"]]
    figures = summarize(samples)
    return {"median": to_nanoseconds(figures["median"]), "min": figures["min"], "mad": to_nanoseconds(figures["mad"]),
            "ci95_low": figures["ci95_low"], "ci95_high": figures["ci95_high"], "method": measurement.get("method", "events"),
            "launches_per_sample": 1, "warmup_launches": measurement["warmup_launches"],
            "stopped_by": measurement["stopped_by"], "samples": samples,
            **({"clock": measurement["clock"]} if "clock" in measurement else {})}


def workloads(record, operations, is_for_rivals, leave_out=(), methods=("events",)):
    """An entry for each workload of these operations that was timed after a flush of L2, by events or another of these
    methods, and that rivals can do; those of the variants `leave_out` do not count."""
    found = {}
    for entry in record["benchmarks"]:
        if entry["operation"] in operations and entry["variant"] not in leave_out and \
                entry["cache_state"] == "cold-clean" and entry["time_us"]["method"] in methods and \
                is_for_rivals(entry):
            found.setdefault((entry["operation"], *entry["axes"].items()), entry)
    return list(found.values())


def case_id(workload, variant):
    operation, _, *rest = workload["name"].split("/")
    return "/".join([operation, variant, *rest])


def quality(measurement):
    share = {"share_of_work": measurement["share_of_work"]} if "share_of_work" in measurement else {}
    return {"relative_error": measurement["max_error"], **share, **measurement.get("figures", {})}


def measured_entry(workload, measurement, switches):
    timed = time_us(measurement)
    floors = workload["floors"] and dict(workload["floors"])
    for binding, time_over in (("binding", "time_over_floor"), ("model_binding", "time_over_model")):
        if floors and floors.get(binding):
            floors[time_over] = timed["median"] / floors[floors[binding] + "_us"]
    name = case_id(workload, measurement["variant"])
    return {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
            "threads": 1, "iterations": len(timed["samples"]), "real_time": timed["median"],
            "cpu_time": timed["median"], "time_unit": "us", "operation": workload["operation"],
            "variant": measurement["variant"], "switches": switches, "axes": workload["axes"], "status": "ok",
            "cache_state": workload["cache_state"], "work": workload["work"], "floors": floors,
            "input": workload["input"], "time_us": timed,
            "counters": {"set": "none", "reason": NO_COUNTERS, "values": {}}, "kernels": [], "instrumented": None,
            "quality": quality(measurement),
            "check": {"before": "ok", "after": "ok", "max_error": measurement["max_error"]}, "device_state": None,
            **{key: measurement[key] for key in ("sampled", "sampled_reason") if key in measurement}}


def unmeasured_entry(workload, measurement):
    return {"name": case_id(workload, measurement["variant"]), "operation": workload["operation"],
            "variant": measurement["variant"], "axes": workload["axes"], "cache_state": workload["cache_state"],
            "status": measurement["status"], "reason": measurement["reason"]}


def add_turns(record, in_turns):
    """The rounds that a rival and variants of Ablate's took turns in, to the rival's entry."""
    entries = {entry["name"]: entry for entry in record["benchmarks"]}
    for taken in in_turns:
        if taken["name"] in entries:
            entries[taken["name"]]["in_turns"] = taken["rounds"]


def remove_rivals(record, operations, variants, only=None):
    """What an earlier call added; or of that only these cases, (operation, variant, *axes)."""
    def stays(entry):
        return entry["operation"] not in operations or entry["variant"] not in variants or \
            (only is not None and (entry["operation"], entry["variant"], *entry["axes"].items()) not in only)

    facts = record["context"]["ablate"]
    for key in ("benchmarks", "unmeasured"):
        record[key] = [entry for entry in record[key] if stays(entry)]
    if only is not None:
        return
    for operation in operations:
        described = facts.get("operations", {}).get(operation, {}).get("variants", {})
        for variant in variants:
            described.pop(variant, None)


def earlier_call(record, script):
    """What the record says of an earlier call of the script, or None."""
    return next((added for added in record["context"]["ablate"].get("rivals", []) if added["script"] == script), None)


def describe(record, script, arguments, rivals, operations, software, date, beside=None):
    """`beside`: the earlier call whose other measurements stay in the record."""
    facts = record["context"]["ablate"]
    others = [added for added in facts.get("rivals", []) if added["script"] != script]
    earlier = beside or {"variants": [], "operations": []}
    added = {"script": script, "date": date, "software": software,
             **{key: [*earlier[key], *(one for one in ours if one not in earlier[key])]
                for key, ours in (("operations", operations), ("variants", list(rivals)))}}
    facts["rivals"] = [*others, added]
    call = " ".join([" && " + script, *arguments])
    if not beside:
        facts["command"] = facts["command"].split(" && " + script)[0]
    if not facts["command"].endswith(call):
        facts["command"] += call
    names = [variant for added in facts["rivals"] for variant in added["variants"]]
    suite = facts["suite"]
    suite["description"] = suite["description"].split(RIVALS_ADDED)[0] + RIVALS_ADDED + ", ".join(names) + "."
    for operation in operations:
        if operation in facts.get("operations", {}):
            for variant, rival in rivals.items():
                facts["operations"][operation]["variants"][variant] = rival["description"]


def cases(contest, at, measurements):
    """(workload, variant, the measurement of its shape or None) of each of the workloads `at` and each rival."""
    by_shape = {(m["operation"], m["variant"], tuple(sorted(m["shape"].items()))): m for m in measurements}
    for workload in at:
        shape = contest.shape_of(workload)
        for variant in contest.rivals_of(shape):
            yield workload, variant, by_shape.get((workload["operation"], variant, tuple(sorted(shape.items()))))


def measured_cases(contest, at, measurements):
    """As remove_rivals takes them."""
    return {(workload["operation"], variant, *workload["axes"].items())
            for workload, variant, measurement in cases(contest, at, measurements) if measurement}


def add_rivals(record, contest, at, measurements):
    """`at`: the workloads. Puts the entry of each of the contest's rivals after the last of its workload's. Returns how
    many cases have none, because nothing of their shape was measured."""
    entries = {}
    missing = 0
    for workload, variant, measurement in cases(contest, at, measurements):
        if measurement is None:
            missing += 1
        elif measurement["status"] == "ok":
            entry = measured_entry(workload, measurement, contest.rivals[variant]["switches"])
            entries.setdefault((workload["operation"], *workload["axes"].items()), []).append(entry)
        else:
            record["unmeasured"].append(unmeasured_entry(workload, measurement))
    # From the end, so that each workload's rivals follow the last of its entries.
    merged = []
    for entry in reversed(record["benchmarks"]):
        key = (entry["operation"], *entry["axes"].items())
        if entry["cache_state"] == "cold-clean" and key in entries:
            merged += reversed(entries.pop(key))
        merged.append(entry)
    record["benchmarks"] = merged[::-1]
    return missing
