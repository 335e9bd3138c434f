"""Where a tool does not see what the code does: tests/sanitizers/exceptions.json. `exceptions` are reports that are no
faults, `poisoned` are cases whose writes initcheck does not see, which therefore run on poisoned memory. Each has the
reason why the code is right and a mutant that takes what makes it right away. `not_run` are cases that a tool itself fails
on, for a reason outside of the tree."""
import json
import re

KEYS = {"name", "tool", "kernel", "cases", "report", "reason", "where", "mutant"}
KEYS_OF_POISONED = {"name", "cases", "reason", "where", "mutant"}
KEYS_OF_NOT_RUN = {"name", "tool", "cases", "reason"}


class BadExceptions(Exception):
    pass


class NamedException:
    def __init__(self, entry):
        self.name, self.tool = entry["name"], entry["tool"]
        self.kernel, self.cases = re.compile(entry["kernel"]), re.compile(entry["cases"])
        self.report = re.compile(entry["report"], re.DOTALL)
        self.reason, self.where, self.mutant = entry["reason"], entry["where"], entry["mutant"]

    def covers(self, tool, report):
        return bool(tool == self.tool and self.kernel.fullmatch(report.kernel or "") and self.cases.search(report.case or "")
                    and self.report.search(report.text))


class Poisoned:
    """Cases whose scratch and outputs hold poison before initcheck watches them; the oracle finds what nobody wrote."""

    def __init__(self, entry):
        self.name, self.cases = entry["name"], entry["cases"]
        self.reason, self.where, self.mutant = entry["reason"], entry["where"], entry["mutant"]


class NotRun:
    """Cases that a tool does not bring to an end, whatever the code does."""

    def __init__(self, entry):
        self.name, self.tool, self.cases, self.reason = entry["name"], entry["tool"], re.compile(entry["cases"]), entry["reason"]

    def reasons(self, tool, cases):
        """case -> why the tool does not run it."""
        return {case: self.reason for case in cases if tool == self.tool and self.cases.search(case)}


def entries_of(path, part, keys):
    with open(path, encoding="utf-8") as file:
        entries = json.load(file).get(part)
    if not isinstance(entries, list):
        raise BadExceptions(f"{path}: /{part}: expected a list")
    for index, entry in enumerate(entries):
        if set(entry) != keys:
            raise BadExceptions(f"{path}: /{part}/{index}: expected the keys {', '.join(sorted(keys))}")
    names = [entry["name"] for entry in entries]
    if len(set(names)) != len(names):
        raise BadExceptions(f"{path}: /{part}: two entries of one name")
    return entries


def read(path):
    """([NamedException], [Poisoned], [NotRun])"""
    return ([NamedException(entry) for entry in entries_of(path, "exceptions", KEYS)],
            [Poisoned(entry) for entry in entries_of(path, "poisoned", KEYS_OF_POISONED)],
            [NotRun(entry) for entry in entries_of(path, "not_run", KEYS_OF_NOT_RUN)])


def which(exceptions, tool, report):
    """The name of the exception that covers a report, or None."""
    return next((e.name for e in exceptions if e.covers(tool, report)), None)
