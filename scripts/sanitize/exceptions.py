"""Reports that are no faults: tests/sanitizers/exceptions.json, each with the reason why the code is right and a mutant
that takes what makes it right away."""
import json
import re

KEYS = {"name", "tool", "kernel", "cases", "report", "reason", "where", "mutant"}


class BadExceptions(Exception):
    pass


class NamedException:
    def __init__(self, entry):
        self.name, self.tool = entry["name"], entry["tool"]
        self.kernel, self.cases = re.compile(entry["kernel"]), re.compile(entry["cases"])
        self.report = re.compile(entry["report"], re.DOTALL)
        self.reason, self.where, self.mutant = entry["reason"], entry["where"], entry["mutant"]

    def may_cover(self, tool, kernel, case):
        return bool(tool == self.tool and self.kernel.fullmatch(kernel) and self.cases.search(case))

    def covers(self, tool, report):
        return self.may_cover(tool, report.kernel or "", report.case or "") and bool(self.report.search(report.text))


def read(path):
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)["exceptions"]
    for index, entry in enumerate(entries):
        if set(entry) != KEYS:
            raise BadExceptions(f"{path}: /exceptions/{index}: expected the keys {', '.join(sorted(KEYS))}")
    names = [entry["name"] for entry in entries]
    if len(set(names)) != len(names):
        raise BadExceptions(f"{path}: two exceptions of one name")
    return [NamedException(entry) for entry in entries]


def which(exceptions, tool, report):
    """The name of the exception that covers a report, or None."""
    return next((e.name for e in exceptions if e.covers(tool, report)), None)
