"""What was measured so far: told as it comes and kept in a file, so that a run that is killed loses nothing."""
import datetime
import json
import sys

import rival_record
from spent_seconds import SPENT

LISTS = ("measurements", "in_turns")


def named(operation, variant, shape):
    return " ".join([f"{operation}/{variant}", *(f"{k}={v}" if isinstance(v, str) else f"{k}={v:g}" for k, v in shape.items())])


def say_what_begins(number, of, seconds, operation, variant, shape):
    print(f"{number} of {of}, {seconds:.0f} s: {named(operation, variant, shape)}", file=sys.stderr, flush=True)


def say(measurement):
    found = f"{rival_record.summarize(measurement['samples_us'])['median']:.1f} us" if measurement["status"] == "ok" \
        else f"{measurement['status']}: {measurement['reason']}"
    name = named(*(measurement[key] for key in ("operation", "variant", "shape")))
    print(f"{name}: {found}", file=sys.stderr, flush=True)


def encoded(measured):
    """The lists of what was measured, each element as a line."""
    return {name: [json.dumps(of) for of in measured.get(name, [])] for name in LISTS}


def keep_measurements(path, measured, lines=None):
    """The file appears whole, or stays as it was. `lines`: as `encoded` gives them, where they are known."""
    facts = [f"{json.dumps(name)}: {json.dumps(of)}" for name, of in measured.items() if name not in LISTS]
    lists = [f"{json.dumps(name)}: [\n" + ",\n".join(of) + "\n]" for name, of in (lines or encoded(measured)).items()]
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text("{" + ",\n".join([*facts, *lists]) + "}\n", encoding="utf-8")
    unfinished.replace(path)


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


class Found:
    """The measurements of one run, and the rounds that rivals took turns in."""

    def __init__(self, facts, keep):
        self.all = {**facts, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                    "measurements": [], "in_turns": []}
        self.keep, self.lines = keep, encoded({})

    def go_on(self, earlier):
        """From where an earlier run of these arguments on this GPU was."""
        for key in ("arguments", "device"):
            if earlier.get(key) != self.all[key]:
                raise rival_record.BadRecord(f"{self.keep}: /{key}: expected {self.all[key]} to go on from it, "
                                             f"found {earlier.get(key)}")
        self.all.update({key: earlier.get(key, []) for key in ("date", *LISTS)})
        self.lines = encoded(self.all)

    def has(self, operation, variant, shape):
        return any((m["operation"], m["variant"], m["shape"]) == (operation, variant, shape)
                   for m in self.all["measurements"])

    @SPENT.on("keeping")
    def add(self, measurement, rounds=None):
        for name, of in zip(LISTS, (measurement, rounds)):
            if of:
                self.all[name].append(of)
                self.lines[name].append(json.dumps(of))
        say(measurement)
        if self.keep:
            keep_measurements(self.keep, self.all, self.lines)
