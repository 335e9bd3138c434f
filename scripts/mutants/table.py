"""The table of mutants, as JSON and as Markdown."""

import json
from collections import Counter
from pathlib import Path

from patches import Mutant
from trial import Outcome


# What a run that goes on keeps: the rest was interrupted, or may have crashed for want of memory.
final_verdicts = ("killed", "survived")


class OtherTable(Exception):
    """A table that this run cannot go on with; says why."""


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def counted(verdicts: Counter) -> str:
    others = [f"{count} {verdict}" for verdict, count in sorted(verdicts.items()) if verdict != "killed"]
    return ", ".join([f"{verdicts['killed']} of {verdicts.total()} killed"] + others)


def rows(told: list[tuple[Mutant, Outcome]]) -> list[dict]:
    return [
        {
            "mutant": m.id,
            "patch": m.digest,
            "operation": m.operation,
            "fault": m.fault,
            "files": list(m.files),
            "verdict": o.verdict,
            "case": o.where,
            "message": o.message,
            "cases": o.cases,
        }
        for m, o in told
    ]


def markdown(told: list[tuple[Mutant, Outcome]], device: str, build: dict[str, str]) -> str:
    lines = [
        "# Mutants",
        "",
        f"{counted(Counter(o.verdict for _, o in told))}, on {device}. Made by `scripts/mutants.sh`"
        " (docs/mutants.md); all cases that a mutant names must be `wrong`, the first one is shown.",
        "",
        f"Build: commit {build.get('commit', 'unknown')}, sources {build.get('sources', 'unknown')}.",
        "",
    ]
    by_operation: dict[str, list[tuple[Mutant, Outcome]]] = {}
    for m, o in told:
        by_operation.setdefault(m.operation, []).append((m, o))
    lines += ["| operation | mutants | killed |", "| --- | ---: | ---: |"]
    for operation, its in by_operation.items():
        lines.append(f"| {operation} | {len(its)} | {sum(o.verdict == 'killed' for _, o in its)} |")
    for operation, its in by_operation.items():
        lines += ["", f"## {operation}", "", "| mutant | fault | verdict | case | what its check said |"]
        lines.append("| --- | --- | --- | --- | --- |")
        for m, o in its:
            case = o.where.removeprefix(f"{operation}/")
            shown = (m.name, m.fault, o.verdict, case, o.message)
            lines.append("| " + " | ".join(cell(text) for text in shown) + " |")
    return "\n".join(lines) + "\n"


def write(told: list[tuple[Mutant, Outcome]], device: str, build: dict[str, str], out: Path) -> None:
    """`build`: what `ablate --version` says. A file is whole at any time, whenever the run is killed."""
    out.mkdir(parents=True, exist_ok=True)
    whole = {"device": device, "build": build, "mutants": rows(told)}
    replace(out / "mutants.json", json.dumps(whole, indent=1) + "\n")
    replace(out / "mutants.md", markdown(told, device, build))


def read(mutants: list[Mutant], folder: Path, device: str, build: dict[str, str]) -> dict[str, Outcome]:
    """The final verdicts of an earlier run on these mutants, by id. It must have been of this build and device."""
    file = folder / "mutants.json"
    if not file.exists():
        return {}
    try:
        whole = json.loads(file.read_text())
        seen = {"device": whole["device"], "sources": whole["build"].get("sources")}
        kept = [m for m in whole["mutants"] if m["verdict"] in final_verdicts]
        outcomes = {(m["mutant"], m["patch"]): Outcome(m["verdict"], m["case"], m["message"], m["cases"]) for m in kept}
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise OtherTable(f"{file}: expected a table of mutants ({e!r}); --resume needs one, or none") from e
    wanted = {"device": device, "sources": build.get("sources")}
    for what, value in wanted.items():
        if value is None or seen[what] != value:
            raise OtherTable(f"{file}: its {what}: {seen[what]}, here {value}; omit --resume to start over")
    return {m.id: outcomes[key] for m in mutants if (key := (m.id, m.digest)) in outcomes}


def replace(file: Path, text: str) -> None:
    beside = file.with_name(file.name + ".new")
    beside.write_text(text)
    beside.replace(file)
