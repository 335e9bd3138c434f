"""Mutants as stored in tests/mutants: one patch a fault, a few header lines ahead of the diff."""

import re
import shlex
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

required_keys = ("fault", "cases")
optional_keys = ("run",)


class BadMutant(Exception):
    """A patch that cannot be used; says where and why."""


@dataclass(frozen=True)
class Mutant:
    patch: Path
    operation: str  # the folder of the patch
    name: str
    fault: str  # one sentence
    cases: str  # a regular expression: the ids that must turn `wrong`
    run: tuple[str, ...]  # further options of `ablate run`
    files: tuple[str, ...]  # that the diff changes
    digest: str = ""  # of the patch's text

    @property
    def id(self) -> str:
        return f"{self.operation}/{self.name}"

    @property
    def group(self) -> tuple:
        """Equal for mutants whose cases can run together."""
        return self.operation, self.run


def header_of(patch: Path, lines: list[str]) -> dict[str, str]:
    header = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("--- "):
            break
        key, colon, value = line.partition(":")
        if not colon or key not in required_keys + optional_keys or not value.strip():
            known = ", ".join(required_keys + optional_keys)
            raise BadMutant(f"{patch}: line {number}: expected 'KEY: VALUE' with a key of {known}, or '--- FILE'")
        header[key] = value.strip()
    for key in required_keys:
        if key not in header:
            raise BadMutant(f"{patch}: the header lacks '{key}:'")
    return header


def read_mutant(patch: Path) -> Mutant:
    text = patch.read_text()
    lines = text.splitlines()
    header = header_of(patch, lines)
    try:
        re.compile(header["cases"])
    except re.error as e:
        raise BadMutant(f"{patch}: cases: {e}") from e
    files = tuple(line.removeprefix("+++ b/") for line in lines if line.startswith("+++ b/"))
    if not files:
        raise BadMutant(f"{patch}: expected a diff with '+++ b/FILE'")
    return Mutant(
        patch=patch.resolve(),
        operation=patch.parent.name,
        name=patch.stem,
        fault=header["fault"],
        cases=header["cases"],
        run=tuple(shlex.split(header.get("run", ""))),
        files=files,
        digest=sha256(text.encode()).hexdigest()[:16],
    )


def read_mutants(folder: Path, only: str) -> list[Mutant]:
    """All mutants of the folder whose id holds a match of `only`, by id."""
    mutants = [read_mutant(patch) for patch in sorted(folder.glob("*/*.patch"))]
    return [m for m in mutants if re.search(only, m.id)]


@dataclass(frozen=True)
class Hunk:
    line: int  # at which it begins in the file, from 1
    before: list[str]
    after: list[str]


def hunks_by_file(patch: Path) -> dict[str, list[Hunk]]:
    hunks: dict[str, list[Hunk]] = {}
    file = ""
    for line in patch.read_text().splitlines():
        if line.startswith("+++ b/"):
            file = line.removeprefix("+++ b/")
        elif at := re.match(r"@@ -(\d+)", line):
            hunks.setdefault(file, []).append(Hunk(int(at[1]), [], []))
        elif file in hunks and not line.startswith("--- "):
            if line[:1] in (" ", "-", ""):
                hunks[file][-1].before.append(line[1:])
            if line[:1] in (" ", "+", ""):
                hunks[file][-1].after.append(line[1:])
    return hunks


def mutated(mutant: Mutant, tree: Path) -> dict[str, str]:
    """The texts of the mutant's files with the fault. Lines must be as the patch has them; they may have moved, where
    no other lines are like them."""
    texts = {}
    for file, hunks in hunks_by_file(mutant.patch).items():
        lines = (tree / file).read_text().splitlines()
        moved = 0
        for hunk in hunks:
            size, wanted = len(hunk.before), hunk.line - 1 + moved
            places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == hunk.before]
            if wanted not in places and len(places) != 1:
                raise BadMutant(f"{mutant.patch}: {file} has {len(places)} places like line {hunk.line} of the patch")
            at = wanted if wanted in places else places[0]
            lines[at : at + size] = hunk.after
            moved += len(hunk.after) - size
        texts[file] = "\n".join(lines) + "\n"
    return texts


def apply(mutant: Mutant, tree: Path) -> None:
    for file, text in mutated(mutant, tree).items():
        (tree / file).write_text(text)
