"""A mutant's program: a finished build in which only objects that see the mutant's files are recompiled."""

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from patches import Mutant, apply

source_folders = ("kernels", "oracles", "variants", "harness", "reports")


class NotBuilt(Exception):
    """A mutant that does not compile or link; says what the compiler said."""


@dataclass(frozen=True)
class Compilation:
    source: str
    arguments: tuple[str, ...]  # of the compiler, without -o


@dataclass(frozen=True)
class FinishedBuild:
    """What a Ninja build folder knows of itself. It is only read."""

    root: Path  # of the sources
    folder: Path
    compilations: dict[str, Compilation]  # by object
    users: dict[str, frozenset[str]]  # objects by a source file that they see, relative to the root
    seconds: dict[str, float]  # that each object took, where it is known
    link: tuple[str, ...]
    archives: dict[str, tuple[str, ...]]  # what the static libraries that the program links are made of

    def objects_of(self, mutant: Mutant) -> list[str]:
        """The program's objects that see a file of the mutant."""
        linked = set(self.link).union(*self.archives.values())
        found = {o for file in mutant.files for o in self.users.get(file, ()) if o in linked}
        if not found:
            raise NotBuilt(f"no object of the program sees {', '.join(mutant.files)}")
        return sorted(found)

    def cost(self, mutant: Mutant) -> float:
        try:
            return sum(self.seconds.get(o, 1.0) for o in self.objects_of(mutant))
        except NotBuilt:
            return 0.0


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise SystemExit(f"mutants: {shlex.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def read_compilations(folder: Path) -> dict[str, Compilation]:
    compilations = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        arguments = shlex.split(entry["command"])
        at = arguments.index("-o")
        compilations[arguments[at + 1]] = Compilation(entry["file"], tuple(arguments[:at] + arguments[at + 2 :]))
    return compilations


def read_users(folder: Path, root: Path) -> dict[str, frozenset[str]]:
    """Objects by the files that they see, as the compiler told Ninja. -n: Ninja writes none of its logs."""
    users: dict[str, set[str]] = {}
    user = ""

    @cache
    def below_root(seen: str) -> str | None:
        path = Path(os.path.normpath(folder / seen))
        return str(path.relative_to(root)) if path.is_relative_to(root) else None

    for line in output_of(["ninja", "-C", str(folder), "-n", "-t", "deps"]).splitlines():
        if line.startswith("    "):
            if file := below_root(line.strip()):
                users.setdefault(file, set()).add(user)
        elif ": #deps" in line:
            user = line.partition(": #deps")[0]
    return {file: frozenset(objects) for file, objects in users.items()}


def read_seconds(folder: Path) -> dict[str, float]:
    seconds = {}
    for line in (folder / ".ninja_log").read_text().splitlines():
        parts = line.split("\t")
        if len(parts) == 5:
            seconds[parts[3]] = (int(parts[1]) - int(parts[0])) / 1000
    return seconds


def read_link(folder: Path) -> tuple[str, ...]:
    last = output_of(["ninja", "-C", str(folder), "-n", "-t", "commands", "ablate"]).strip().splitlines()[-1]
    return tuple(a for a in shlex.split(last) if a not in (":", "&&"))


def read_archives(folder: Path, link: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """A library may hold objects of other targets' folders, so that names of folders do not tell."""
    def objects_in(archive: str) -> tuple[str, ...]:
        lines = output_of(["ninja", "-C", str(folder), "-n", "-t", "query", archive]).splitlines()
        return tuple(line.strip() for line in lines if line.startswith("    ") and line.endswith(".o"))

    return {a: objects_in(a) for a in link if re.fullmatch(r"lib\w+\.a", a)}


def root_of(folder: Path) -> Path:
    """Of the sources that the folder was configured for."""
    cache = folder / "CMakeCache.txt"
    if not cache.exists():
        raise SystemExit(f"mutants: {cache} is missing; expected the folder of a finished preset, as build/native")
    found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.MULTILINE)
    return Path(found[1]).resolve()


def read_build(folder: Path) -> FinishedBuild:
    root, link = root_of(folder), read_link(folder)
    users, archives = read_users(folder, root), read_archives(folder, link)
    return FinishedBuild(root, folder, read_compilations(folder), users, read_seconds(folder), link, archives)


def only_for(capability: int | None, arguments: list[str]) -> list[str]:
    """Machine code for the GPU at hand alone, where the build has some; else what the build compiles for."""
    flag = re.compile(r"--generate-code=arch=compute_(\d+)a?,code=\[.*sm_")
    kept = [a for a in arguments if not (m := flag.match(a)) or int(m[1]) == capability]
    return kept if any(flag.match(a) for a in kept) else arguments


class Workplace:
    """A copy of the sources with the mutant in it, and what is built of them."""

    def __init__(self, build: FinishedBuild, mutant: Mutant, folder: Path, capability: int | None):
        self.build, self.mutant, self.folder, self.capability = build, mutant, folder, capability
        self.program = folder / "ablate"

    def prepare(self) -> list[str]:
        """Makes the copy and plants the fault; returns the objects to be compiled."""
        self.folder.mkdir(parents=True)
        ignore = shutil.ignore_patterns("node_modules")
        for name in source_folders:
            shutil.copytree(self.build.root / name, self.folder / name, ignore=ignore)
        apply(self.mutant, self.folder)
        return self.build.objects_of(self.mutant)

    def object_path(self, object_file: str) -> Path:
        return self.folder / "objects" / object_file

    def moved(self, argument: str) -> str:
        """An argument with the sources' root replaced by the copy's, but not where it names the build folder."""
        root, build = str(self.build.root), str(self.build.folder)
        return re.sub(rf"(?!{re.escape(build)}(?:/|$)){re.escape(root)}(?=/|$)", str(self.folder), argument)

    def copied_unity(self, source: Path) -> Path:
        """A unity file includes sources by absolute paths: the same of the copy's."""
        copy = self.folder / "unity" / source.relative_to(self.build.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("\n".join(self.moved(line) for line in source.read_text().splitlines()) + "\n")
        return copy

    def compile(self, object_file: str) -> None:
        compilation = self.build.compilations[object_file]
        source = Path(compilation.source)
        is_unity = source.is_relative_to(self.build.folder)
        moved_source = str(self.copied_unity(source)) if is_unity else self.moved(compilation.source)
        arguments = [moved_source if a == compilation.source else self.moved(a) for a in compilation.arguments]
        out = self.object_path(object_file)
        out.parent.mkdir(parents=True, exist_ok=True)
        self.call(only_for(self.capability, arguments) + ["-o", str(out)])

    def link(self, objects: list[str]) -> None:
        """The build's own link command, with new objects and with libraries that hold these instead."""
        changed = set(objects)
        libraries = {a: str(self.archive(a, of, changed)) for a, of in self.build.archives.items() if changed.intersection(of)}
        arguments = [str(self.object_path(a)) if a in changed else libraries.get(a, a) for a in self.build.link]
        arguments[arguments.index("-o") + 1] = str(self.program)
        self.call(arguments)

    def archive(self, name: str, objects: tuple[str, ...], changed: set[str]) -> Path:
        """From scratch: `ar r` replaces by name alone, and two members may have the same name."""
        made = self.folder / name
        self.call(["ar", "qc", str(made), *(str(self.object_path(o)) if o in changed else o for o in objects)])
        return made

    def call(self, command: list[str]) -> None:
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, cwd=self.build.folder, text=True, errors="replace", **both)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if re.search(r"error|undefined", line)]
            raise NotBuilt(("; ".join(errors[:3]) or done.stdout.strip()[-300:]).replace(f"{self.folder}/", ""))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
