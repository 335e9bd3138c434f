"""One run of a program on the cases that a mutant names, and what it says of the mutant."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

did_not_run = ("not_applicable", "input_missing")


@dataclass
class Outcome:
    """`verdict`: killed, survived, crashed, not built, or not run."""

    verdict: str
    where: str = ""  # the case that tells it, and
    message: str = ""  # what its check said
    cases: dict[str, str] = field(default_factory=dict)  # status by id
    reasons: dict[str, str] = field(default_factory=dict)  # of those that are not ok, by id


@dataclass(frozen=True)
class Trial:
    program: Path
    suite: Path
    options: tuple[str, ...]
    cases: str
    out: Path
    seconds: float

    def statuses(self, device: str) -> dict[str, tuple[str, str]]:
        """Status and reason by case id. Raises TimeoutError, and RuntimeError where there is no record."""
        command = [self.program, "run", self.suite, "--filter", self.cases, "--ceilings", "none"]
        command += ["--device", device, "--out", self.out, "--overwrite", *self.options]
        command = [str(part) for part in command]
        said = self.call(command)
        record = self.out / "record.json"
        if not record.exists():  # as where the suite was being written: once more
            self.call(command)
        if not record.exists():
            raise RuntimeError(said.strip().splitlines()[-1] if said.strip() else "no record, and not a word")
        read = json.loads(record.read_text())
        measured = {c["name"]: ("ok", "") for c in read["benchmarks"]}
        return measured | {c["name"]: (c["status"], c.get("reason") or "") for c in read["unmeasured"]}

    def call(self, command: list[str]) -> str:
        """Runs in a group of its own, so that a hung run ends with all its workers."""
        running = subprocess.Popen(
            command, text=True, errors="replace", start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        try:
            return running.communicate(timeout=self.seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            raise TimeoutError(f"still running after {self.seconds:g} s") from None


def outcome_of(trial: Trial, device: str) -> Outcome:
    """Killed: every case that ran is `wrong`. A case that fails or hangs tells of no check."""
    try:
        found = trial.statuses(device)
    except (TimeoutError, RuntimeError) as e:
        return Outcome("crashed", message=str(e))
    told = {
        "cases": {id: status for id, (status, _) in found.items()},
        "reasons": {id: reason for id, (_, reason) in found.items() if reason},
    }
    by_status: dict[str, list[tuple[str, str]]] = {}
    for id, (status, reason) in found.items():
        by_status.setdefault(status, []).append((id, reason))
    ran = [status for status in by_status if status not in did_not_run]
    if not ran:
        return Outcome("not run", message="no case that it names runs here", **told)
    if "ok" in ran:
        return Outcome("survived", *by_status["ok"][0], **told)
    if ran == ["wrong"]:
        return Outcome("killed", *by_status["wrong"][0], **told)
    failed = next(status for status in ran if status != "wrong")
    id, reason = by_status[failed][0]
    return Outcome("crashed", id, f"{failed}: {reason}", **told)
