"""Reads the records that `ablate run` writes (docs/reading_records.md). Needs the standard library alone, Python 3.9 or later. To
use it elsewhere copy three files beside your notebook: this one, ablate_tables.py (tables as HTML) and base/record/old_names.json
(what names of earlier versions are called today).

    import ablate_record
    record = ablate_record.load("results/h200/serialization")
    for case in record.select("serialize", cache_state="cold-clean", points=131072):
        print(case.variant, case.median_us, case.counters.get("dram__bytes_read.sum"))
    for up in record.speed_ups("serialize"):
        print(up.workload.axes, up.variant, up.ratio, up.low, up.high)
    record.table("serialize", cache_state="cold-clean")  # in a notebook: workloads by variants, the fastest in bold
    record.frame()  # a polars or pandas data frame

Files may be compressed by xz, as those of results/ are. Schema 2.x.y is understood, and checked where it is read; keys that are not
known are left alone. Older records are refused: `ablate dev record` upgrades them. Counters of several kernels and ratios are formed
as `ablate report` forms them (tests/scripts holds this file to that program). What has no field of its own, such as a timeline or a
picture, is in `Case.raw`.

Cases of older records have the names of today, and ids made of them; names of before are understood where they are given, and one
line on stderr says what they are today. What a record's suite says to reports (`Record.suite["report"]`) has the keys of today, and
in them the names that it was written with.
"""
from __future__ import annotations

import functools
import importlib
import json
import lzma
import math
import numbers
import pathlib
import re
import statistics
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, NoReturn, Optional, Tuple, Union

if TYPE_CHECKING:
    from ablate_tables import Table

__all__ = ["Case", "Energy", "Kernel", "KernelCounters", "Launched", "Record", "RecordError", "SpeedUp", "TurnsRatio", "Unmeasured",
           "Workload", "file_of", "load", "read_json"]


class RecordError(ValueError):
    """One line: the file, the place in it (a JSON pointer) and what was expected there."""


class Workload(NamedTuple):
    """Only cases of one operation that agree in all of this are compared."""
    cache_state: str
    method: str  # of timing: events, graph, host_clock, host_clock_graph
    axes_items: Tuple[Tuple[str, str], ...]

    @property
    def axes(self) -> Dict[str, str]:
        return dict(self.axes_items)


@dataclass(frozen=True)
class Kernel:
    """A launch of a case, in its order."""
    name: str  # demangled
    grid: Tuple[int, ...]
    block: Tuple[int, ...]
    dynamic_shared_bytes: int
    theoretical_occupancy: Dict[str, Optional[float]]  # by architecture, 0 to 1


@dataclass(frozen=True)
class KernelCounters:
    """One launch of a kernel, or all of that name in a case of more than 64 launches."""
    name: str
    launches: int
    values: Dict[str, Optional[float]]


class Energy(NamedTuple):
    """Of one launch, by NVML's counter of the board's energy over a loop of launches."""
    launch_j: float
    error_pct: float  # of launch_j, half of its 95 % interval
    mean_w: float  # over the loop
    loop_us: float  # one launch in the loop, with what precedes it there
    around_j: float  # of what precedes each launch
    idle_w: float
    seconds: float
    step_j: float  # the counter's resolution
    steps: int

    @property
    def launch_mj(self) -> float:
        return 1e3 * self.launch_j


class TimeBound(NamedTuple):
    """A bound on the time of a case."""
    name: str  # launch, bytes, flops, exponentials; of a model atomics, random, gathered, steps
    us: float
    time_over: float  # the median divided by it


_FLOORS = ("launch", "bytes", "flops", "exponentials")
_MODELS = ("atomics", "random", "gathered", "steps")


class TurnsRatio(NamedTuple):
    """A rival's time over ours, from the rounds in which they took turns."""
    rounds: int
    ratio: float  # mean over the rounds, in logarithms
    low: float  # its 95 % interval, as reports have it; unbounded for one round
    high: float


@dataclass(frozen=True)
class Case:
    """A case that was measured and, in this launch or in its suite's first, found right. Times are in microseconds;
    `ci95_low_us` and `ci95_high_us` are the 95 % interval of the median within this run."""
    name: str
    operation: str
    variant: str
    cache_state: str
    axes: Dict[str, str]
    switches: Dict[str, str]
    median_us: float
    ci95_low_us: float
    ci95_high_us: float
    min_us: float
    mad_us: float
    method: str
    samples_us: List[float] = field(repr=False)  # in a later launch of a suite medians of blocks of samples
    samples_per_block: int
    launches_per_sample: int
    warmup_launches: int
    stopped_by: str
    sm_mhz: Optional[float]  # over the samples, or else right after the last one
    steady_clock: Optional[bool]  # None: a steady clock was not asked for
    work: Dict[str, Any]
    floors: Optional[Dict[str, Any]]  # launch_us, bytes_us, …, as in the record; `floor` and `model` say which one binds
    counters: Dict[str, Optional[float]] = field(repr=False)  # of one launch of the case, by CUPTI's names
    counters_missing: Dict[str, str] = field(repr=False)  # why one is None
    counters_by_kernel: List[KernelCounters] = field(repr=False)
    kernels: List[Kernel] = field(repr=False)
    quality: Dict[str, Optional[float]]
    instrumented: Dict[str, Any]  # counted by the instrumented form; empty without one
    input: Dict[str, Any]  # facts of the input: hash, points, …
    is_checked: bool  # the output was compared with the oracle in this very launch; later launches of a suite take the time alone
    max_error: float
    accepted_error: Optional[float]
    ceiling: Optional[str]  # of a calibration: what it measures
    memory_bytes: Optional[int]
    energy: Optional[Energy]  # None: not asked for, or not to be had (energy_reason)
    energy_reason: Optional[str]
    specimen: Optional[str]  # a GPU's UUID, or a host's name
    in_turns: List[Dict[str, Dict[str, Any]]] = field(repr=False)  # of a rival: its rounds, by variant
    raw: Dict[str, Any] = field(repr=False)  # the entry
    status: str = "ok"

    @property
    def floor(self) -> Optional[TimeBound]:
        """The least time of the task: the greatest of the bounds that hold for every way of doing it. None without such a ceiling."""
        return self._greatest_bound(_FLOORS)

    @property
    def model(self) -> Optional[TimeBound]:
        """What bounds one way of doing the task, where that takes longer than the floor; another way may beat it."""
        floor, model = self.floor, self._greatest_bound(_MODELS)
        return model if model is not None and (floor is None or model.us > floor.us) else None

    def _greatest_bound(self, names: Iterable[str]) -> Optional[TimeBound]:
        times = [(name, (self.floors or {}).get(f"{name}_us")) for name in names]
        known = [TimeBound(name, us, self.median_us / us) for name, us in times if us]
        return max(known, key=lambda bound: bound.us, default=None)

    @property
    def energy_delay_mj_us(self) -> Optional[float]:
        """The energy of a launch by its median time."""
        return None if self.energy is None else self.energy.launch_mj * self.median_us

    @property
    def workload(self) -> Workload:
        return Workload(self.cache_state, self.method, tuple(self.axes.items()))

    def ratio_in_turns(self, ours: str) -> Optional[TurnsRatio]:
        """Of a rival: its time over that of our variant, mean over the rounds. The two `median_us` were taken at different times,
        so reports use this instead. None if they took no turns."""
        ratios = [turns[self.variant]["median_us"] / turns[ours]["median_us"] for turns in self.in_turns if ours in turns]
        return _ratio_over_rounds([math.log(ratio) for ratio in ratios]) if ratios else None


@dataclass(frozen=True)
class Unmeasured:
    """A case without a time, and why: wrong, failed, out_of_memory, timeout, not_applicable, input_missing, interrupted."""
    name: str
    operation: str
    variant: str
    cache_state: str
    axes: Dict[str, str]
    status: str
    reason: str


class Launched(NamedTuple):
    """Two cases in a launch that measured both; 0 is the record itself."""
    launch: int
    base: Case
    other: Case


@dataclass(frozen=True)
class SpeedUp:
    """`over`'s median over `variant`'s: above 1, `variant` is faster. The interval is the widest that the two medians' intervals
    allow; of several launches the ratio is the mean of those within each, in logarithms, with its 95 % interval."""
    operation: str
    workload: Workload
    variant: str
    over: str
    ratio: float
    low: float
    high: float
    in_cycles: Optional[float]  # where SM clocks differed by more than 1 %
    pairs: List[Launched] = field(repr=False)
    over_moved_pct: float  # between launches; reports mark more than 5


Wanted = Union[str, int, float, Iterable[Union[str, int, float]]]


@dataclass(frozen=True)
class Record:
    path: pathlib.Path
    schema: str
    date: str
    suite: Dict[str, Any]
    device: Dict[str, Any]
    build: Dict[str, Any]
    operations: Dict[str, Dict[str, Any]]  # description, baseline, axes, variants; empty in early records
    ceilings: Dict[str, Dict[str, Any]]
    rivals: List[Dict[str, Any]]  # script, date, software, operations, variants
    cases: List[Case] = field(repr=False)
    unmeasured: List[Unmeasured] = field(repr=False)
    context: Dict[str, Any] = field(repr=False)
    launches: List[Record] = field(repr=False, default_factory=list)  # further ones of the same suite and build

    def case(self, name: str) -> Case:
        found = [c for c in self.cases if c.name == name] or self._old_case(name)
        if not found:
            raise KeyError(f"{self.path}: no measured case '{name}'{_did_you_mean(name, [c.name for c in self.cases])}")
        return found[0]

    def select(self, operation: Optional[Wanted] = None, variant: Optional[Wanted] = None,
               cache_state: Optional[Wanted] = None, *, variants: Optional[Wanted] = None, cache: Optional[Wanted] = None,
               **axes: Wanted) -> List[Case]:
        """The measured cases with one of the values given, in the record's order: `points=[4096, 131072]`, and for an axis whose
        name Python keeps for itself `**{"pass": "all"}`. Values are equal, numbers by value, never contained. A name or value
        that no case has, measured or not, raises KeyError with the nearest: it would silently select nothing."""
        given = {"operation": operation, "variant": variant, "variants": variants, "cache_state": cache_state, "cache": cache}
        named = [(name, values) for name, values in given.items() if values is not None] + list(axes.items())
        terms = [(name, _words(values)) for name, values in named]
        chosen = _Selection(self)
        try:
            for name, values in terms:
                chosen.add_term(name, values)
        except KeyError:
            by_old_names = chosen.by_old_names([f"{name}={','.join(values)}" for name, values in terms])
            if by_old_names is None:
                raise
            return by_old_names
        return chosen.cases()

    def find(self, *words: str) -> List[Case]:
        """The measured cases that these words select, as on the command line: `find("points=131072", "hot")`, and ids."""
        chosen = _Selection(self)
        try:
            for word in words:
                chosen.add(word)
        except KeyError:
            by_old_names = chosen.by_old_names(words)
            if by_old_names is None:
                raise
            return by_old_names
        return chosen.cases()

    def _old_case(self, name: str) -> List[Case]:
        today = _old_names().todays_id(name)
        found = [c for c in self.cases if c.name == today]
        if found:
            _tell_todays_names(name, today)
        return found

    def _todays_operation(self, operation: str) -> str:
        today = _old_names().todays_operation(operation)
        if today != operation and all(c.operation != operation for c in [*self.cases, *self.unmeasured]):
            _tell_todays_names(operation, today)
            return today
        return operation

    def _todays_variant(self, operation: str, variant: Optional[str]) -> Optional[str]:
        if variant is None or any((c.operation, c.variant) == (operation, variant) for c in self.cases):
            return variant
        today = _old_names().todays_variant(operation, variant, {})
        if today != variant:
            _tell_todays_names(variant, f"{operation}/{today}")
        return today

    def variants(self, operation: str) -> List[str]:
        """The measured ones, the baseline first."""
        operation = self._todays_operation(operation)
        _expect_known(self.path, "operation", operation, [c.operation for c in [*self.cases, *self.unmeasured]])
        found = list(dict.fromkeys(c.variant for c in self.cases if c.operation == operation))
        baseline = self.operations.get(operation, {}).get("baseline")
        return sorted(found, key=lambda variant: variant != baseline)

    def speed_ups(self, operation: str, variant: Optional[str] = None, over: Optional[str] = None) -> List[SpeedUp]:
        """Of one variant, or all, over `over`, or the baseline, on every workload where both were measured: speedup.csv of
        `ablate report`. For a rival see `Case.ratio_in_turns`."""
        operation = self._todays_operation(operation)
        variant, over = self._todays_variant(operation, variant), self._todays_variant(operation, over)
        _expect_known(self.path, "operation", operation, [c.operation for c in self.cases])
        known = self.variants(operation)
        for name in (variant, over):
            if name is not None:
                _expect_known(self.path, "variant", name, known)
        base = over if over is not None else known[0]
        rows: Dict[Workload, Dict[str, Case]] = {}
        for c in self.cases:
            if c.operation == operation:
                rows.setdefault(c.workload, {}).setdefault(c.variant, c)
        wanted = [v for v in known if v != base and variant in (None, v)]
        return [self.speed_up(row[v], row[base]) for row in rows.values() if base in row for v in wanted if v in row]

    def speed_up(self, case: Case, over: Case) -> SpeedUp:
        """Of two of this record's cases, which must share operation and workload."""
        if (case.operation, case.workload) != (over.operation, over.workload):
            raise ValueError(f"{self.path}: expected two cases of one workload, got '{case.name}' and '{over.name}'")
        others = dict(self._launches_of(case))
        pairs = [Launched(i, b, others[i]) for i, b in self._launches_of(over) if i in others]
        medians = [b.median_us for _, b in self._launches_of(over)]
        return SpeedUp(case.operation, case.workload, case.variant, over.variant,
                       *_ratio_over_launches(pairs), _ratio_in_cycles(over, case), pairs, 100 * (max(medians) / min(medians) - 1))

    def over_launches(self, case: Case) -> Case:
        """The case with its time over all launches, as reports show it: the mean of the medians, in logarithms, with the 95 %
        interval of what further launches give. All else is the first launch's."""
        launched = [c for _, c in self._launches_of(case)]
        if len(launched) == 1:
            return launched[0]
        mean, low, high = _mean_over_launches(launched, [math.log(c.median_us) for c in launched],
                                              [_log_error(c) for c in launched])
        return replace(launched[0], median_us=mean, ci95_low_us=low, ci95_high_us=high,
                       min_us=min(mean, *(c.min_us for c in launched)))

    def is_tie(self, fastest: Case, other: Case) -> bool:
        """Whether the measurements do not tell `other` from the fastest of its workload. Over launches the interval of their ratio
        includes 1; in one launch the intervals of the two medians meet."""
        over = self.speed_up(other, fastest)
        if len(over.pairs) > 1:
            return over.low <= 1 <= over.high
        return self.over_launches(other).ci95_low_us <= self.over_launches(fastest).ci95_high_us

    def _launches_of(self, case: Case) -> List[Tuple[int, Case]]:
        """The case in each launch that measured it on the same input by the same method."""
        further = [(i, launch._by_name.get(case.name)) for i, launch in enumerate(self.launches, 1)]
        return [(0, self._by_name.get(case.name, case))] + [
            (i, c) for i, c in further
            if c is not None and c.method == case.method and c.input.get("hash", "") == case.input.get("hash", "")]

    @functools.cached_property
    def _by_name(self) -> Dict[str, Case]:
        return {c.name: c for c in self.cases}

    def table(self, operation: str, variant: Optional[Wanted] = None, cache_state: Optional[Wanted] = None, **chosen: Wanted) -> Table:
        """The times of an operation, workloads by variants, of the cases that `select` chooses. A notebook shows it as HTML."""
        return _tables().table_of(self, self.select(operation, variant, cache_state, **chosen))

    def _repr_html_(self) -> Optional[str]:
        """What a notebook shows: device, build, launches, and a table for each operation. None without ablate_tables.py."""
        try:
            return _tables().html_of(self)
        except ImportError:
            return None

    def to_rows(self, counters: Iterable[str] = ()) -> List[Dict[str, Any]]:
        """A row a measured case: the columns of the report's cases.csv, then the counters asked for. Times are over all launches.
        Axes that are integers in all cases are numbers. An axis of a column's name, such as `points`, is `axis.points`. A counter
        that no case has raises KeyError with the nearest."""
        metrics = [counters] if isinstance(counters, str) else list(counters)
        counted_somewhere = list(dict.fromkeys(name for c in self.cases for name in [*c.counters, *c.counters_missing]))
        for name in metrics:
            _expect_known(self.path, "counter", name, counted_somewhere, most_listed=0)
        axes = list(dict.fromkeys(axis for c in [*self.cases, *self.unmeasured] for axis in c.axes))
        whole = {axis for axis in axes if all(_is_whole(c.axes[axis]) for c in self.cases if axis in c.axes)}
        quality = list(dict.fromkeys(figure for c in self.cases for figure in c.quality))
        counted = list(dict.fromkeys(figure for c in self.cases for figure in _shown_counts(c)))
        with_energy = any(c.energy is not None for c in self.cases)
        rows = []
        for c in map(self.over_launches, self.cases):
            head: Dict[str, Any] = {"device": self.device["name"], "case": c.name, "operation": c.operation,
                                    "variant": c.variant, "cache_state": c.cache_state}
            figures = {**_figures(c, with_energy), **{f"quality.{name}": c.quality.get(name) for name in quality},
                       **{f"instrumented.{name}": _shown_counts(c).get(name) for name in counted},
                       **{name: c.counters.get(name) for name in metrics}}
            for axis in axes:
                value = c.axes.get(axis)
                name = f"axis.{axis}" if axis in head or axis in figures else axis
                head[name] = int(value) if value is not None and axis in whole else value
            rows.append({**head, **figures})
        return rows

    def frame(self, counters: Iterable[str] = (), package: Optional[str] = None) -> Any:
        """The rows as a data frame: of polars or, where that is not installed, of pandas. `package` names one of the two. Columns
        are the same in both."""
        if package not in (None, *_FRAMES):
            raise ValueError(f"expected package 'polars' or 'pandas', found {package!r}")
        return _data_frame_of(package)(_columns_of(self.to_rows(counters)))

    def to_pandas(self, counters: Iterable[str] = ()) -> Any:
        """`frame` as a pandas.DataFrame."""
        return self.frame(counters, "pandas")


def _tables() -> Any:
    try:
        return importlib.import_module("ablate_tables")
    except ModuleNotFoundError as error:
        raise ImportError("tables need ablate_tables.py beside ablate_record.py") from error


_FRAMES = ("polars", "pandas")


def _data_frame_of(package: Optional[str]) -> Any:
    for name in _FRAMES if package is None else (package,):
        try:
            return importlib.import_module(name).DataFrame
        except ImportError:
            continue
    missing = f"the package {package}, which is not" if package else "polars or pandas, and neither is"
    raise ImportError(f"a data frame needs {missing} installed; to_rows needs no package")


def _columns_of(rows: List[Dict[str, Any]]) -> Dict[str, List[Any]]:
    """A column is of one type: integers among other numbers are floats, since polars refuses a mixture."""
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return {name: [float(value) if isinstance(value, int) else value for value in values]
            if any(isinstance(value, float) for value in values) else values for name, values in columns.items()}


def load(*paths: Union[str, pathlib.Path]) -> Record:
    """A record: a file, or a folder with record.json, each also compressed (.xz). Further paths, and record-*.json in a folder, are
    further launches of the same suite and build on the same model of device; another record is refused. The first one must have
    compared the outputs with the oracle."""
    files = [file for path in paths for file in _files_of(pathlib.Path(path))]
    if not files:
        raise TypeError("load needs the path of a record")
    first, *more = [_read(file) for file in files]
    _expect_checked(first)
    seen = {_launch_of(first): first.path}
    for launch in more:
        for name, at in _SHARED.items():
            if at(first) != at(launch):
                raise RecordError(f"{launch.path}: expected a launch of what {first.path} measured; its {name} differs")
        if _launch_of(launch) in seen:
            raise RecordError(f"{launch.path}: /context/date: expected each record once, but {seen[_launch_of(launch)]} is of "
                              "this very launch")
        seen[_launch_of(launch)] = launch.path
        first.launches.append(launch)
    return first


_SHARED = {**{f"device's {name}": (lambda r, name=name: r.device.get(name))
              for name in ("kind", "name", "driver", "ecc", "mig", "power_cap_w")},
           "suite": lambda r: r.suite["hash"], "seed": lambda r: r.context["ablate"].get("seed"),
           "build": lambda r: r.build.get("source_hash")}


def _expect_checked(record: Record) -> None:
    for i, case in enumerate(record.cases):
        if not case.is_checked:
            raise RecordError(f"{record.path}: /benchmarks/{i}/check: expected a case whose output was compared with the oracle; "
                              "this is a gate's launch, or a later one of a suite, which is read with the first: name their "
                              "directory")


def _launch_of(record: Record) -> Tuple[str, Any]:
    return record.date, record.device.get("uuid")


def _files_of(path: pathlib.Path) -> List[pathlib.Path]:
    if not path.is_dir():
        return [file_of(path)]
    return [file_of(path / "record.json"), *sorted([*path.glob("record-*.json"), *path.glob("record-*.json.xz")])]


def file_of(path: Union[str, pathlib.Path]) -> pathlib.Path:
    """The file of this name; where there is none, the compressed one. Of a folder: of its record.json."""
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / "record.json"
    compressed = path.with_name(path.name + ".xz")
    return compressed if not path.exists() and compressed.exists() else path


def read_json(path: Union[str, pathlib.Path]) -> Any:
    """What the file says, whose schema must be one that is understood; nothing else is checked."""
    root = _Place(_parse(pathlib.Path(path)), str(path))
    _expect_schema(root)
    return root.value


def _words(values: Wanted) -> List[str]:
    one = isinstance(values, str) or not isinstance(values, Iterable)
    return [_word(value) for value in ([values] if one else values)]


def _word(value: Any) -> str:
    """1e6 and numpy.int64(1000000) are 1000000."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


# Which cases are meant: the grammar and its semantics are those of base/record/selection.h, and
# tests/reports/data/selections.json tests both.

_NAMES = {"variants": "variant", "cache_state": "cache"}
_OF_CASE = {"operation": "operation", "variant": "variant", "cache": "cache_state"}


def _same_value(a: str, b: str) -> bool:
    """Integers of any length, other numbers as doubles: 0.50 is 0.5."""
    if a == b:
        return True
    if _is_integer(a) and _is_integer(b):
        return int(a) == int(b)
    return _is_number(a) and _is_number(b) and float(a) == float(b)


def _is_number(word: str) -> bool:
    number = re.fullmatch(r"-?([0-9]+([.][0-9]+)?|[.][0-9]+)([eE][-+]?[0-9]+)?", word)
    return number is not None and math.isfinite(float(word))


def _is_integer(word: str) -> bool:
    return re.fullmatch("-?[0-9]+", word) is not None


def _edits(a: bytes, b: bytes) -> int:
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (one != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    near, fewest = None, max(2, len(name.encode()) // 2) + 1
    for candidate in known:
        distance = _edits(name.encode(), candidate.encode())
        if distance < fewest and distance < len(candidate.encode()):
            near, fewest = candidate, distance
    return f" (did you mean '{near}'?)" if near is not None else ""


def _expect_known(path: pathlib.Path, what: str, name: str, known: Iterable[str], most_listed: int = 50) -> None:
    known = list(dict.fromkeys(known))
    if name in known:
        return
    listed = "; expected one of " + ", ".join(f"'{one}'" for one in known) if 0 < len(known) <= most_listed else ""
    raise KeyError(f"{path}: no {what} '{name}'{_did_you_mean(name, known)}{listed if known else '; there is none'}")


class _Selection:
    """Words against the cases of a record."""

    def __init__(self, record: Record):
        self.path, self.measured = record.path, record.cases
        self.all: List[Union[Case, Unmeasured]] = [*record.cases, *record.unmeasured]
        self.ids: List[str] = []
        self.terms: Dict[str, List[str]] = {}
        self.parts: List[str] = []

    def cases(self) -> List[Case]:
        return [c for c in self.measured if (not self.ids or c.name in self.ids)
                and all(self._has_value(c, name, values) for name, values in self.terms.items())
                and all(self._has_part(c, part) for part in self.parts)]

    def add(self, word: str) -> None:
        pieces = [piece for piece in word.split("/") if piece]
        if any(c.name == word for c in self.all):
            self.ids.append(word)
        elif self._is_term(word):
            self._add_written(word)
        elif any(self._has_part(c, word) for c in self.all):
            self.parts.append(word)
        elif len(pieces) > 1 or word.endswith("/"):
            for piece in pieces:
                self.add(piece)
        elif "=" in word:
            self._add_written(word)
        else:
            known = ["@" + c.cache_state for c in self.all] if word.startswith("@") else [
                one for c in self.all for one in (c.operation, c.variant, c.cache_state, *c.axes.values())]
            raise KeyError(f"{self.path}: no case is or has '{word}'{_did_you_mean(word, dict.fromkeys(known))}; expected an "
                           "id, AXIS=VALUE, or an operation, variant, value or cache state in full")

    def add_term(self, name: str, wanted: List[str]) -> None:
        name = _NAMES.get(name, name)
        values = self._known_values(name, wanted)
        if name in self.terms:
            raise KeyError(f"{self.path}: '{name}' is given twice; expected its values together")
        self.terms[name] = values

    def _add_written(self, word: str) -> None:
        self.add_term(*self._written(word))

    def _written(self, word: str) -> Tuple[str, List[str]]:
        name, _, text = word.partition("=")
        values = list(dict.fromkeys(value for value in text.split(",") if value))
        if not name or not values:
            raise KeyError(f"{self.path}: expected AXIS=VALUE[,VALUE...], found '{word}'")
        return name, [text] if text in self._values(_NAMES.get(name, name)) else values

    def _is_term(self, word: str) -> bool:
        try:
            name, values = self._written(word)
            self._known_values(_NAMES.get(name, name), values)
            return "=" in word
        except KeyError:
            return False

    def _values(self, name: str) -> List[str]:
        """The values of an axis, or of what else a name means, in the cases' order."""
        of = [self._value(c, name) for c in self.all]
        return list(dict.fromkeys(value for value in of if value is not None))

    def _known_values(self, name: str, wanted: List[str]) -> List[str]:
        known = self._values(name)
        if not known:
            axes = [axis for c in self.all for axis in c.axes]
            _expect_known(self.path, "axis", name, [*axes, *_OF_CASE])
        whole = name not in _OF_CASE and all(map(_is_integer, known))
        what = {"operation": "operation", "variant": "variant", "cache": "cache state"}.get(name, f"value of axis '{name}'")
        out = []
        for word in wanted:
            value = "0" if whole and word == "all" else word
            same = [one for one in known if _same_value(one, value)]
            if not same:
                _expect_known(self.path, what, value, known)
            out.extend(same[:1])
        return out

    def by_old_names(self, words: Iterable[str]) -> Optional[List[Case]]:
        """What words select, at least one of which is a name of an earlier version, as base/record/old_selection.h says. None
        if a word still matches no case."""
        asked: List[Any] = []
        ids: List[str] = []
        for word in words:
            today = _old_names().todays_id(word)
            if any(c.name == today for c in self.all):
                ids.append(today)
                continue
            asked.extend(piece for piece in word.split("/") if piece)
        names = [_NAMES.get(name, name) for name, _, _ in (piece.partition("=") for piece in asked if _is_term(piece))]
        checks = [self._old_check(piece) for piece in asked]
        if None in checks or len(set(names)) < len(names):
            return None
        # Each value by itself: among others that are known a slip of the pen would be lost.
        meant = [self._old_check(one) for piece in asked for one in self._single_values(piece)]
        if ids:
            checks.append(lambda c, named: c.name in ids)
            meant.append(checks[-1])
        readings = [(c, (self._todays_names_of(c), self._former_names_of(c))) for c in self.all]
        if any(not any(check(c, named) for c, both in readings for named in both) for check in meant):
            return None
        chosen = [c for c, both in readings if any(all(check(c, named) for check in checks) for named in both)]
        kinds = dict.fromkeys(f"{c.operation}/{c.variant}" for c in chosen)
        _tell_todays_names(" ".join(words), ", ".join(kinds) or "no case here")
        return [c for c in chosen if isinstance(c, Case)]

    @staticmethod
    def _todays_names_of(c: Union[Case, Unmeasured]) -> List[Tuple[str, str]]:
        return [("operation", c.operation), ("variant", c.variant), ("cache", c.cache_state), *c.axes.items()]

    @classmethod
    def _former_names_of(cls, c: Union[Case, Unmeasured]) -> List[Tuple[str, str]]:
        """In an operation that was part of another, a variant had its own name there."""
        former = _old_names().former_words(c.operation, c.variant, c.axes)
        had_another = any(name == "variant" for name, _ in former)
        return former + [word for word in cls._todays_names_of(c) if word[0] != "variant" or not had_another]

    @staticmethod
    def _single_values(piece: str) -> List[str]:
        name, _, text = piece.partition("=")
        return [f"{name}={value}" for value in text.split(",") if value] if _is_term(piece) else [piece]

    def _old_check(self, piece: str) -> Any:
        if not _is_term(piece):
            return lambda c, named: piece == "@" + c.cache_state or any(
                value and _same_value(value, piece) for _, value in named)
        name, _, text = piece.partition("=")
        name, values = _NAMES.get(name, name), [value for value in text.split(",") if value]
        if not name or not values:
            return None
        # A value that matches any: where no case has such an axis, or the values are known, so that none is a slip of the pen.
        may_be_any = not self._values(name) or self._is_term(piece)
        return lambda c, named: any(own == name and ((not value and may_be_any) or any(
            value and _same_value(value, one) for one in values)) for own, value in named)

    @staticmethod
    def _value(c: Union[Case, Unmeasured], name: str) -> Optional[str]:
        return getattr(c, _OF_CASE[name]) if name in _OF_CASE else c.axes.get(name)

    def _has_value(self, c: Case, name: str, values: List[str]) -> bool:
        own = self._value(c, name)
        return own is not None and any(_same_value(own, value) for value in values)

    @staticmethod
    def _has_part(c: Union[Case, Unmeasured], part: str) -> bool:
        if part.startswith("@"):
            return c.cache_state == part[1:]
        return part in (c.operation, c.variant, c.cache_state) or any(_same_value(value, part) for value in c.axes.values())


# What names of earlier versions are called today: base/record/old_names.json, which the program reads too
# (base/record/old_names.h says what its sections are).

class _OldNames:
    def __init__(self, table: Mapping[str, Any]):
        self.operations = [(*self._key(key), to) for key, to in table["operations"].items()]
        self.variants = [(*self._key(key), to) for key, to in table["variants"].items()]
        self.axes = {tuple(key.split("/")): to for key, to in table["axes"].items()}
        self.values = {tuple(re.split("[/=]", key, maxsplit=2)): to for key, to in table["values"].items()}
        self.switches = {(*re.split("[/=]", key, maxsplit=2), None)[:3]: to for key, to in table["switches"].items()}
        self.dropped = {operation: [tuple((axis + "=").split("=")[:2]) for axis in axes]
                        for operation, axes in table["dropped"].items()}
        self.order, self.baselines = table["order"], table["baselines"]

    @staticmethod
    def _key(key: str) -> Tuple[str, Optional[str], Optional[Tuple[str, str]]]:
        """Operation, variant, and the axis with the value that makes the rule hold."""
        operation, *rest = key.split("/")
        where = next((tuple(word.split("=", 1)) for word in rest if "=" in word), None)
        return operation, next((word for word in rest if "=" not in word), None), where  # type: ignore[return-value]

    @staticmethod
    def _holds(where: Optional[Tuple[str, str]], axes: Mapping[str, str]) -> bool:
        return where is None or axes.get(where[0]) == where[1]

    def todays(self, operation: str, variant: str, axes: Mapping[str, str], keep: Iterable[str] = ()
               ) -> Tuple[str, str, Dict[str, str]]:
        found: Optional[str] = operation
        while found is not None:
            operation = found
            found = next((to for of, only, where, to in self.operations if of == operation and only in (None, variant)
                          and self._holds(where, axes)), None)
        return operation, self.todays_variant(operation, variant, axes), self.todays_axes(operation, axes, keep)

    def todays_operation(self, operation: str) -> str:
        return self.todays(operation, "", {})[0]

    def todays_variant(self, operation: str, variant: str, axes: Mapping[str, str]) -> str:
        """A point's changes are named as today, too."""
        variant = self._todays_whole_variant(operation, variant, axes)
        around, changes = _point_of(variant)
        if not changes:
            return variant
        own = self._todays_changes(operation, changes)
        today, changed_by_name = _point_of(self._todays_whole_variant(operation, around, axes))
        if (today, own) == (around, changes):
            return variant
        # What the point says of a switch holds, not what its variant's name of before did.
        stated = {name for name, _ in own}
        kept = [change for change in self._todays_changes(operation, changed_by_name) if change[0] not in stated]
        return _point_name(today, kept + own)

    def _todays_whole_variant(self, operation: str, variant: str, axes: Mapping[str, str]) -> str:
        found: Optional[str] = variant
        while found is not None:
            variant = found
            found = next((to for of, name, where, to in self.variants if (of, name) == (operation, variant)
                          and self._holds(where, axes)), None)
        return variant

    def _todays_changes(self, operation: str, changes: List[Tuple[str, str]]) -> List[Tuple[str, str]]:
        today = (self.todays_switch(operation, *change) for change in changes)
        return list(dict.fromkeys(change for change in today if change is not None))

    def todays_switch(self, operation: str, name: str, value: str) -> Optional[Tuple[str, str]]:
        """By rules of values before those of names, by the operation's before those of all. None: the switch is no more."""
        while True:
            keys = ((operation, name, value), ("*", name, value), (operation, name, None), ("*", name, None))
            rule = next((key for key in keys if key in self.switches), None)
            if rule is None:
                return name, value
            to = self.switches[rule]
            if to is None:
                return None
            if rule[2] is None:
                name = to
            else:
                name, value = to.split("=", 1)

    def todays_switches(self, operation: str, switches: Mapping[str, str]) -> Dict[str, str]:
        """A case's. ValueError where two are one switch today, with different values."""
        out: Dict[str, str] = {}
        for written, had in switches.items():
            today = self.todays_switch(operation, written, had)
            if today is None:
                continue
            name, value = today
            if out.setdefault(name, value) != value:
                raise ValueError(f"expected one value of '{name}', found '{out[name]}' and, of '{written}={had}', '{value}'")
        return out

    def todays_axes(self, operation: str, axes: Mapping[str, str], keep: Iterable[str] = ()) -> Dict[str, str]:
        out, dropped = {}, self.dropped.get(operation, [])
        for written, value in axes.items():
            name = written
            while (operation, name) in self.axes:
                name = self.axes[operation, name]
            while (operation, name, value) in self.values:
                value = self.values[operation, name, value]
            if written in keep or ((name, "") not in dropped and (name, value) not in dropped):
                out[name] = value
        return self.ordered(operation, out)

    def ordered(self, operation: str, axes: Mapping[str, str]) -> Dict[str, str]:
        order = self.order.get(operation, [])
        return dict(sorted(axes.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))

    def todays_id(self, name: str) -> str:
        operation, *words = name.split("/")
        variant = words[0] if words else ""
        axes = dict(word.split("=", 1) for word in words[1:] if "=" in word and not word.startswith("@"))
        today = self.todays(operation, variant, axes)
        if today == (operation, variant, axes) and list(today[2]) == list(axes):
            return name
        return _id_of(*today, next((word[1:] for word in words if word.startswith("@")), ""))

    def former_words(self, operation: str, variant: str, axes: Mapping[str, str]) -> List[Tuple[str, str]]:
        """What a case of today may have been called: names with values; an empty value matches any."""
        out: List[Tuple[str, str]] = []
        operations, variants = [operation], [variant]
        for one in operations:
            for of, _, where, to in self.operations:
                if to == one:
                    out.append(("operation", of))
                    out.extend([where] if where else [])
                    operations.extend([of] if of not in operations else [])
        for one in variants:
            variants.extend(former for former in self._former_variants(operation, one) if former not in variants)
        out.extend(("variant", one) for one in variants[1:])
        for axis, value in axes.items():
            words = [(axis, value)]
            for name, one in words:
                words.extend((of[1], one) for of, to in self.axes.items() if (of[0], to) == (operation, name))
                words.extend((name, of[2]) for of, to in self.values.items() if (*of[:2], to) == (operation, name, one))
            out.extend(words[1:])
        return out + [(axis, value) for axis, value in self.dropped.get(operation, [])]

    def _former_variants(self, operation: str, variant: str) -> Iterator[str]:
        """What a variant may have been called before its last renaming."""
        around, changes = _point_of(variant)
        for of, name, _, to in self.variants:
            if of != operation or name is None:
                continue
            today, renamed = _point_of(to)
            if today == around and all(change in changes for change in renamed):
                yield _point_name(name, [change for change in changes if change not in renamed])
        for i, change in enumerate(changes):
            for (of, name, value), to in self.switches.items():
                if of not in (operation, "*") or to != (change[0] if value is None else "=".join(change)):
                    continue
                former = (name, change[1] if value is None else value)
                # A rule that goes before this one may make something else of it.
                if self.todays_switch(operation, *former) == self.todays_switch(operation, *change):
                    yield _point_name(around, [*changes[:i], former, *changes[i + 1:]])


def _point_of(variant: str) -> Tuple[str, List[Tuple[str, str]]]:
    """A variant, and the switches in which a point differs from it: in smem_hashed+threads=512+pdl, pdl is on."""
    around, *changes = variant.split("+")
    return around, [(name, value if equals else "on") for name, equals, value in (change.partition("=") for change in changes)]


def _point_name(variant: str, changes: Iterable[Tuple[str, str]]) -> str:
    return "+".join([variant, *(name if value == "on" else f"{name}={value}" for name, value in changes)])


def _is_term(word: str) -> bool:
    """A point is a variant, no term."""
    return "=" in word and "+" not in word.partition("=")[0]


_table: List[_OldNames] = []
_told = set()


def _old_names() -> _OldNames:
    if not _table:
        here = pathlib.Path(__file__).resolve().parent
        for path in (here / "old_names.json", here.parents[1] / "base" / "record" / "old_names.json"):
            if path.is_file():
                _table.append(_OldNames(_parse(path)))
                break
        else:
            raise RecordError(f"{here / 'old_names.json'}: expected what names of earlier versions are called today, found no such "
                              "file; copy base/record/old_names.json beside ablate_record.py")
    return _table[0]


def _tell_todays_names(given: str, today: str) -> None:
    line = f"ablate: {given}: of an earlier version; today: {today}"
    if line not in _told:
        _told.add(line)
        print(line, file=sys.stderr)


def _id_of(operation: str, variant: str, axes: Mapping[str, str], cache_state: str) -> str:
    return "/".join([operation, variant, *(f"{axis}={value}" for axis, value in axes.items()), f"@{cache_state}"])


def _give_todays_names(record: Any, file: str = "") -> None:
    """Of the cases, and of the operations that they are of. Two that would get one id keep the dropped axes by which they differ
    (base/record/todays_names.h)."""
    if not isinstance(record, dict):
        return
    table, entries, places = _old_names(), [], []
    for place in ("benchmarks", "unmeasured"):
        for i, entry in enumerate(record[place] if isinstance(record.get(place), list) else []):
            if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("name", "operation", "variant")) \
                    and isinstance(entry.get("axes"), dict) and all(isinstance(v, str) for v in entry["axes"].values()):
                entries.append(entry)
                places.append(f"/{place}/{i}")

    def names_of(entry: Dict[str, Any], keep: Iterable[str] = ()) -> Tuple[str, Tuple[str, str, Dict[str, str]]]:
        before = (entry["operation"], entry["variant"], entry["axes"])
        today = table.todays(*before, keep)
        if today == before and list(today[2]) == list(before[2]):
            return entry["name"], today
        words = [word for word in entry["name"].split("/") if word]
        named = dict(word.split("=", 1) for word in words[2:] if "=" in word and not word.startswith("@"))
        cache = next((word[1:] for word in words if word.startswith("@")), "")
        return _id_of(*today[:2], table.todays_axes(today[0], named, keep), cache), today

    by_id: Dict[str, List[int]] = {}
    today = [names_of(entry) for entry in entries]
    for i, (name, _) in enumerate(today):
        by_id.setdefault(name, []).append(i)
    for same in by_id.values():
        if len(same) > 1:
            axes = dict.fromkeys(axis for i in same for axis in entries[i]["axes"])
            differing = [axis for axis in axes if len({entries[i]["axes"].get(axis) for i in same} - {None}) > 1]
            for i in same:
                today[i] = names_of(entries[i], differing)
    parts: Dict[str, Dict[str, Dict[str, str]]] = {}  # by operation of before and of today, variants of today by those of before
    ids: Dict[str, str] = {}
    for entry, place, (name, (operation, variant, axes)) in zip(entries, places, today):
        switches = entry.get("switches")
        if isinstance(switches, dict) and all(isinstance(value, str) for value in switches.values()):
            try:
                entry["switches"] = table.todays_switches(operation, switches)
            except ValueError as error:
                raise RecordError(f"{file}: {place}/switches: {error}") from error
        parts.setdefault(entry["operation"], {}).setdefault(operation, {})[entry["variant"]] = variant
        before = dict(entry["axes"])

        def renamed(one: str, operation: str = operation, before: Mapping[str, str] = before) -> str:
            return table.todays_variant(operation, one, before)

        if isinstance(entry.get("in_turns"), list):
            entry["in_turns"] = [{renamed(one): turn for one, turn in turns.items()} if isinstance(turns, dict) else turns
                                 for turns in entry["in_turns"]]
        if isinstance(entry.get("check"), dict) and isinstance(entry["check"].get("against"), str):
            entry["check"]["against"] = renamed(entry["check"]["against"])
        dispatch = entry["input"].get("dispatch") if isinstance(entry.get("input"), dict) else None
        if isinstance(dispatch, dict):
            entry["input"]["dispatch"] = {policy: renamed(one) if isinstance(one, str) else one for policy, one in dispatch.items()}
        if (entry["name"], entry["operation"], entry["variant"], list(before)) == (name, operation, variant, list(axes)) \
                and before == axes:
            continue
        ids[entry["name"]] = name
        for key in ("name", "run_name"):
            if key in entry:
                entry[key] = name
        entry["operation"], entry["variant"], entry["axes"] = operation, variant, axes
    context = record.get("context")
    _rename_facts(context.get("ablate") if isinstance(context, dict) else None, parts, ids)


def _rename_facts(facts: Any, parts: Mapping[str, Dict[str, Dict[str, str]]], ids: Mapping[str, str]) -> None:
    if not isinstance(facts, dict):
        return
    table = _old_names()
    if isinstance(facts.get("operations"), dict):
        operations = {}
        for operation, described in facts["operations"].items():
            for part in parts.get(operation, {table.todays_operation(operation): {}}):
                if part not in operations:
                    operations[part] = _facts_of(part, operation, described, parts.get(operation, {}))
        facts["operations"] = operations
    for ceiling in facts["ceilings"].values() if isinstance(facts.get("ceilings"), dict) else []:
        if isinstance(ceiling, dict) and isinstance(ceiling.get("case"), str):
            ceiling["case"] = ids.get(ceiling["case"], table.todays_id(ceiling["case"]))
    for rival in facts["rivals"] if isinstance(facts.get("rivals"), list) else []:
        if isinstance(rival, dict) and isinstance(rival.get("operations"), list) \
                and all(isinstance(one, str) for one in rival["operations"]):
            rival["operations"] = list(dict.fromkeys(
                part for one in rival["operations"] for part in parts.get(one, {table.todays_operation(one): {}})))


def _facts_of(part: str, operation: str, facts: Any, parts: Mapping[str, Dict[str, str]]) -> Any:
    """What a record says of an operation, of one of the parts into which it was divided."""
    if not isinstance(facts, dict):
        return facts
    table, out = _old_names(), dict(facts)
    dropped = {axis for axis, _ in table.dropped.get(part, [])}
    for key in ("axes", "silent_axes"):
        if isinstance(facts.get(key), dict):
            kept = {}
            for axis, value in facts[key].items():
                while (part, axis) in table.axes:
                    axis = table.axes[part, axis]
                if axis not in dropped:
                    kept[axis] = value
            out[key] = table.ordered(part, kept)
    if isinstance(facts.get("variants"), dict):
        measured = {variant for variants in parts.values() for variant in variants}
        ruled = {name for _, name, _, _ in table.variants}
        out["variants"] = {}
        for variant, described in facts["variants"].items():
            if variant in measured:
                today = parts[part].get(variant)
            else:
                today = table.todays_variant(part, variant, {})
                if today == variant and len(parts) > 1 and (variant in ruled or part != operation):
                    today = None
            if today is not None:
                out["variants"][today] = described
    if part != operation and part in table.baselines:
        out["baseline"] = table.baselines[part]
    elif isinstance(facts.get("baseline"), str):
        out["baseline"] = table.todays_variant(part, facts["baseline"], {})
    return out


def _is_whole(word: str) -> bool:
    return word.lstrip("-").isdecimal() and str(int(word)) == word


def _ratio_over_launches(pairs: List[Launched]) -> Tuple[float, float, float]:
    """The ratio and its 95 % interval as base/statistics/launch_ratio.h has them."""
    if len(pairs) == 1:
        (_, base, other), = pairs
        return (base.median_us / other.median_us, base.ci95_low_us / other.ci95_high_us, base.ci95_high_us / other.ci95_low_us)
    return _mean_over_launches([p.base for p in pairs], [math.log(p.base.median_us / p.other.median_us) for p in pairs],
                               [math.hypot(_log_error(p.base), _log_error(p.other)) for p in pairs])


def _mean_over_launches(launched: List[Case], logs: List[float], own_errors: List[float]) -> Tuple[float, float, float]:
    """The mean of logarithms, one for each launch of a case, with its 95 % interval. `own_errors`: of each, by its samples alone."""
    own_error = math.sqrt(sum(error ** 2 for error in own_errors)) / len(own_errors)
    return _mean_of_logs(logs, [c.specimen for c in launched], own_error)


def _ratio_over_rounds(ratios: List[float]) -> TurnsRatio:
    """Of logarithms, with rounds instead of launches."""
    if len(ratios) == 1:
        return TurnsRatio(1, math.exp(ratios[0]), 0.0, math.inf)
    return TurnsRatio(len(ratios), *_mean_of_logs(ratios, [None] * len(ratios), 0.0))


def _mean_of_logs(ratios: List[float], gpus: List[Any], own_error: float) -> Tuple[float, float, float]:
    """The mean of logarithms of ratios with its 95 % interval, as ratios, no surer than the launches' samples are."""
    mean = sum(ratios) / len(ratios)
    error, freedom = _launch_error(ratios, gpus)
    half = max(_student_quantile(0.025, freedom) * error, statistics.NormalDist().inv_cdf(0.975) * own_error)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def _log_error(case: Case) -> float:
    """The standard error of the logarithm of the median, by its 95 % interval."""
    return math.log(case.ci95_high_us / case.ci95_low_us) / 2 / 1.96


def _deviations(values: List[float]) -> float:
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values)


def _launch_error(ratios: List[float], gpus: List[Any]) -> Tuple[float, int]:
    """The mean's standard error and degrees of freedom: of launches alone, or, where three GPUs or more differ, of these."""
    count = len(ratios)
    alone = math.sqrt(_deviations(ratios) / (count - 1) / count), count - 1
    groups = [[r for r, g in zip(ratios, gpus) if g == gpu] for gpu in dict.fromkeys(gpus)]
    if len(groups) < 3:
        return alone
    within, inner = sum(map(_deviations, groups)), count - len(groups)
    between, noise = max(0.0, _deviations(ratios) - within) / (len(groups) - 1), within / inner if inner else 0.0
    if between <= noise:
        return alone
    squares = sum(len(g) ** 2 for g in groups)
    share = squares / count ** 2 / ((count - squares / count) / (len(groups) - 1))
    parts = share * between, noise / count - share * noise
    variance = sum(parts)
    freedom = variance ** 2 / (parts[0] ** 2 / (len(groups) - 1) + (parts[1] ** 2 / inner if inner else 0.0))
    return math.sqrt(variance), max(1, int(freedom))


def _student_quantile(tail: float, freedom: int) -> float:
    """What Student's t exceeds with this probability. The finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    def above(t: float) -> float:
        angle = math.atan(t / math.sqrt(freedom))
        cosine, odd = math.cos(angle), freedom % 2
        term = cosine if odd else 1.0
        total = term if freedom > 1 else 0.0
        for i in range(3 if odd else 2, freedom - 1, 2):
            term *= cosine ** 2 * (i - 1) / i
            total += term
        return (1 - (2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total)) / 2

    low, high = 0.0, 1.0
    while above(high) > tail:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) > tail else (low, middle)
    return high


def _ratio_in_cycles(over: Case, of: Case) -> Optional[float]:
    a, b = over.sm_mhz, of.sm_mhz
    if not a or not b or abs(a - b) <= 0.01 * min(a, b):
        return None
    return over.median_us * a / (of.median_us * b)


# The columns of cases.csv.

def _shown_counts(c: Case) -> Dict[str, Any]:
    return {} if "points_per_atomic" in c.instrumented else c.instrumented


def _counted_flops(c: Case) -> Optional[float]:
    """By the tensor pipe and the patched FP32 instructions."""
    per_instruction = {f"smsp__sass_thread_inst_executed_op_{kind}_pred_on.sum": flops
                       for kind, flops in (("fadd", 1), ("fmul", 1), ("ffma", 2))}
    counted = [value for name, value in c.counters.items() if value is not None and "int8" not in name
               and name.startswith("sm__ops_path_tensor_") and name.endswith("_sparsity_off.sum")]
    counted += [flops * c.counters[name] for name, flops in per_instruction.items() if c.counters.get(name) is not None]
    return sum(counted) if counted else None


def _energy_figures(c: Case) -> Dict[str, Optional[float]]:
    used = c.energy
    return {"energy_mj": None if used is None else used.launch_mj, "energy_error_pct": None if used is None else used.error_pct,
            "energy_delay_mj_us": c.energy_delay_mj_us, "energy_mean_w": None if used is None else used.mean_w}


def _figures(c: Case, with_energy: bool) -> Dict[str, Any]:
    points, floors = c.input.get("points"), c.floors or {}
    dram = [c.counters.get(f"dram__bytes_{way}.sum") for way in ("read", "write")]
    moved = None if None in dram else sum(dram)
    flops, atomics = _counted_flops(c), c.instrumented.get("atomics")
    random = sum(access["count"] for access in c.work.get("random", ()))
    floor, model = c.floor, c.model

    def worth_showing(declared: float, measured: Optional[float]) -> Optional[float]:
        return measured if declared > 0 or (measured or 0) > 0 else None

    return {
        "median_us": c.median_us, "min_us": c.min_us, "mad_us": c.mad_us, "ci95_low_us": c.ci95_low_us,
        "ci95_high_us": c.ci95_high_us, **(_energy_figures(c) if with_energy else {}), "method": c.method, "launches_per_sample": c.launches_per_sample,
        "warmup_launches": c.warmup_launches, "samples": len(c.samples_us) * c.samples_per_block, "stopped_by": c.stopped_by, "sm_mhz": c.sm_mhz,
        "steady_clock": None if c.steady_clock is None else "yes" if c.steady_clock else "no",
        "points": points, "points_per_s": None if points is None else points / (c.median_us * 1e-6),
        "bytes": c.work["bytes"], "flops": c.work["flops"], "atomics": c.work["atomics"], "random_accesses": random,
        **{f"floor_{name}_us": floors.get(f"{name}_us")
           for name in ("launch", "bytes", "atomics", "flops", "random", "exponentials", "gathered", "steps")},
        "binding_floor": floor and floor.name, "time_over_floor": floor and floor.time_over,
        "binding_model": model and model.name, "time_over_model": model and model.time_over,
        "points_per_atomic": c.instrumented.get("points_per_atomic"),
        "max_error": c.max_error, "accepted_error": c.accepted_error,
        "dram_bytes": worth_showing(c.work["bytes"], moved), "counted_flops": worth_showing(c.work["flops"], flops),
        "counted_atomics": worth_showing(c.work["atomics"], atomics),
    }


# Reading: what is read is checked, as in base/record.

class _Place:
    """A value of the file, and where it is."""

    def __init__(self, value: Any, file: str, pointer: str = ""):
        self.value, self.file, self.pointer = value, file, pointer

    def refuse(self, expected: str) -> NoReturn:
        raise RecordError(f"{self.file}: {self.pointer or '/'}: {expected}")

    def refuse_value(self, expected: str) -> NoReturn:
        kind = {dict: "object", list: "array"}.get(type(self.value))
        shown = json.dumps(self.value, ensure_ascii=False) if kind is None else \
            f"an {kind}" if self.value else f"an empty {kind}"
        self.refuse(f"expected {expected}, found {shown}")

    def child(self, key: Any, value: Any) -> _Place:
        return _Place(value, self.file, f"{self.pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")

    def find(self, key: str) -> Optional[_Place]:
        """None where there is no such key, or null."""
        value = self.object().get(key)
        return None if value is None else self.child(key, value)

    def at(self, key: str) -> _Place:
        if key not in self.object():
            self.refuse(f"expected a key '{key}', found none")
        return self.child(key, self.value[key])

    def object(self) -> Dict[str, Any]:
        if not isinstance(self.value, dict):
            self.refuse_value("an object")
        return self.value

    def object_or_none(self) -> Dict[str, Any]:
        if self.value is not None and not isinstance(self.value, dict):
            self.refuse_value("an object or null")
        return self.value or {}

    def members(self) -> Dict[str, _Place]:
        return {key: self.child(key, value) for key, value in self.object().items()}

    def elements(self) -> List[_Place]:
        if not isinstance(self.value, list):
            self.refuse_value("an array")
        return [self.child(i, value) for i, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.refuse_value("a string")
        return self.value

    def one_of(self, *words: str) -> str:
        if self.text() not in words:
            self.refuse(f"expected one of {', '.join(words)}, found '{self.value}'")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.refuse_value("true or false")
        return self.value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            self.refuse_value("a number")
        if not math.isfinite(self.value):
            self.refuse("expected a finite number")
        return self.value

    def not_negative(self) -> float:
        if self.number() < 0:
            self.refuse_value("a number of at least 0")
        return self.value

    def positive(self) -> float:
        if self.number() <= 0:
            self.refuse_value("a number above 0")
        return self.value

    def count(self) -> int:
        if self.not_negative() != math.floor(self.value) or self.value >= 9e15:
            self.refuse_value("a count")
        return int(self.value)

    def words(self) -> Dict[str, str]:
        return {name: value.text() for name, value in self.members().items()}

    def numbers(self) -> Dict[str, Optional[float]]:
        return {name: None if value.value is None else value.number() for name, value in self.members().items()}


def _gather_report(suite: Any) -> None:
    """Gathers under `report` what records before 2.1.0 had beside it; a ladder and exhibits are parts of the question."""
    if not isinstance(suite, dict):
        return
    report = suite.get("report", {})
    for key in ("comparisons", "question"):
        if key in suite and isinstance(report, dict) and key not in report:
            report[key] = suite.pop(key)
    for key in ("ladder", "exhibits"):
        question = report.get("question", {}) if isinstance(report, dict) else None
        if key in suite and isinstance(question, dict) and key not in question:
            question[key] = suite.pop(key)
            report["question"] = question
    if report:
        suite["report"] = report


def _read(path: pathlib.Path) -> Record:
    root = _Place(_parse(path), str(path))
    schema = _expect_schema(root)
    _give_todays_names(root.value, root.file)
    context = root.at("context")
    ablate = context.at("ablate")
    suite, device = ablate.at("suite"), ablate.at("device")
    if schema.value.startswith("2.0."):
        _gather_report(suite.value)
    for name in ("name", "description", "hash"):
        suite.at(name).text()
    device.at("name").text()
    record = Record(
        path, schema.value, context.at("date").text(), suite.value, device.value, ablate.at("build").object(),
        ablate.find("operations").object() if ablate.find("operations") else {}, ablate.at("ceilings").object(),
        [rival.object() for rival in ablate.find("rivals").elements()] if ablate.find("rivals") else [],
        [_case_of(entry, device.value.get("uuid")) for entry in root.at("benchmarks").elements()],
        [_unmeasured_of(entry) for entry in root.at("unmeasured").elements()], context.value)
    places: Dict[str, str] = {}
    for place in ("benchmarks", "unmeasured"):
        for entry in root.at(place).elements():
            name = entry.at("name")
            if name.value in places:
                name.refuse(f"expected a case of its own, found '{name.value}' of {places[name.value]} again")
            places[name.value] = entry.pointer
    return record


# As reports/schema/record.schema.json has them.
_METHODS = ("events", "graph", "host_clock", "host_clock_graph")
_STOPPED_BY = ("precision", "time", "samples")
_UNMEASURED = ("wrong", "failed", "out_of_memory", "timeout", "not_applicable", "input_missing", "interrupted")

_UPGRADE = "ablate dev record"  # the command that makes a file of version 2 of one of version 1
_XZ_MAGIC = b"\xfd7zXZ\0"
_MOST_BYTES = 256 << 20  # more is no record: the largest one has a ninth of it


def _expect_schema(root: _Place) -> _Place:
    schema = root.at("context").at("ablate").at("record_schema")
    if schema.text().startswith("1."):
        schema.refuse(f"expected version 2.x.y of the record's schema, found '{schema.value}': `{_UPGRADE} {root.file}` upgrades it")
    if not schema.text().startswith("2."):
        schema.refuse(f"expected version 1.x.y or 2.x.y of the record's schema, found '{schema.value}'")
    return schema


def _expanded(packed: bytes, path: pathlib.Path) -> bytes:
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        text = reader.decompress(packed, max_length=_MOST_BYTES + 1)
    except lzma.LZMAError as error:
        raise RecordError(f"{path}: expected a whole file as xz writes it: {error}. Fetch or compress it again") from error
    if len(text) > _MOST_BYTES:
        raise RecordError(f"{path}: byte {_MOST_BYTES} of its text: expected the end of a record, found more; such a file is no record")
    if not reader.eof:
        raise RecordError(f"{path}: byte {len(text)} of its text: expected a whole file as xz writes it, found one that is cut "
                          "short. Fetch or compress it again")
    return text


def _parse(path: pathlib.Path) -> Any:
    def refuse_constant(word: str) -> NoReturn:
        raise ValueError(f"'{word}' is not JSON")

    try:
        text = path.read_bytes()
        if text.startswith(_XZ_MAGIC):
            text = _expanded(text, path)
        return json.loads(text.decode("utf-8"), parse_constant=refuse_constant)
    except OSError as error:
        raise RecordError(f"{path}: expected a record, found none: {error.strerror}") from error
    except RecordError:
        raise
    except json.JSONDecodeError as error:
        raise RecordError(f"{path}: line {error.lineno}, column {error.colno}: expected JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: expected JSON in UTF-8: {error}") from error


def _case_of(at: _Place, device_uuid: Any) -> Case:
    at.object()
    _combine_counters(at.value)
    at.at("status").one_of("ok")
    time, counters, check = at.at("time_us"), at.at("counters"), at.at("check")
    median, low, high = (time.at(name).positive() for name in ("median", "ci95_low", "ci95_high"))
    if not low <= median <= high:
        found = ", ".join(str(int(us) if us == int(us) else us) for us in (low, median, high))
        time.refuse(f"expected ci95_low <= median <= ci95_high, found {found}")
    is_checked = all([check.at(when).one_of("ok", "not_checked") == "ok" for when in ("before", "after")])
    clock, device_state, quality = time.find("clock"), at.at("device_state"), at.find("quality")
    mhz = clock.find("sm_mhz") if clock else _Place(device_state.object_or_none(), at.file, device_state.pointer).find(
        "timed_sm_clock_mhz")
    floors, memory, accepted = at.at("floors"), at.find("memory"), check.find("accepted_error")
    optional = {name: at.find(name) for name in ("ceiling", "energy", "energy_reason", "specimen", "in_turns")}
    case = Case(
        name=at.at("name").text(), operation=at.at("operation").text(), variant=at.at("variant").text(),
        cache_state=at.at("cache_state").text(), axes=at.at("axes").words(), switches=at.at("switches").words(),
        median_us=median, ci95_low_us=low, ci95_high_us=high, min_us=time.at("min").positive(),
        mad_us=time.at("mad").not_negative(),
        method=time.at("method").one_of(*_METHODS),
        samples_us=[sample.positive() for sample in time.at("samples").elements()],
        samples_per_block=time.find("samples_per_block").count() if time.find("samples_per_block") else 1,
        launches_per_sample=time.at("launches_per_sample").count(), warmup_launches=time.at("warmup_launches").count(),
        stopped_by=time.at("stopped_by").one_of(*_STOPPED_BY),
        sm_mhz=None if mhz is None else mhz.at("median").not_negative() if clock else mhz.number(),
        steady_clock=clock.at("steady").boolean() if clock else None,
        work=_work_of(at.at("work")), floors=None if floors.value is None else _floors_of(floors),
        counters=counters.at("values").numbers(),
        counters_missing=counters.find("missing").words() if counters.find("missing") else {},
        counters_by_kernel=[_counted_kernel_of(kernel) for kernel in counters.find("kernels").elements()]
        if counters.find("kernels") else [],
        kernels=[_kernel_of(kernel) for kernel in at.at("kernels").elements()],
        quality=quality.numbers() if quality else {}, instrumented=at.at("instrumented").object_or_none(),
        input=at.at("input").object(), is_checked=is_checked, max_error=check.at("max_error").not_negative(),
        accepted_error=accepted.not_negative() if accepted else None,
        ceiling=optional["ceiling"].text() if optional["ceiling"] else None,
        memory_bytes=memory.at("bytes").count() if memory else None,
        energy=_energy_of(optional["energy"]) if optional["energy"] else None,
        energy_reason=optional["energy_reason"].text() if optional["energy_reason"] else None,
        specimen=optional["specimen"].text() if optional["specimen"] else device_uuid,
        in_turns=[_round_of(turns) for turns in optional["in_turns"].elements()] if optional["in_turns"] else [],
        raw=at.value)
    for i, turns in enumerate(case.in_turns):
        if case.variant not in turns:
            optional["in_turns"].elements()[i].refuse(f"expected a turn of '{case.variant}', the entry's own variant")
    if points := at.at("input").find("points"):
        points.count()
    return case


def _energy_of(at: _Place) -> Energy:
    return Energy(at.at("launch_j").positive(), at.at("error_pct").not_negative(), at.at("mean_w").positive(),
                  at.at("loop_us").positive(), at.at("around_j").not_negative(), at.at("idle_w").not_negative(),
                  at.at("seconds").positive(), at.at("step_j").positive(), at.at("steps").count())


def _unmeasured_of(at: _Place) -> Unmeasured:
    return Unmeasured(at.at("name").text(), at.at("operation").text(), at.at("variant").text(), at.at("cache_state").text(),
                      at.at("axes").words(),
                      at.at("status").one_of(*_UNMEASURED), at.at("reason").text())


def _work_of(at: _Place) -> Dict[str, Any]:
    for name in ("bytes", "flops", "atomics"):
        at.at(name).not_negative()
    for access in at.find("random").elements() if at.find("random") else []:
        access.at("count").not_negative()
    for name in ("exponentials", "gathered_bytes"):
        if amount := at.find(name):
            amount.not_negative()
    for step in at.find("steps").elements() if at.find("steps") else []:
        step.at("kind").text()
        for name in ("count", "bytes", "written_bytes", "flops", "exponentials"):
            step.at(name).not_negative()
    return at.value


def _floors_of(at: _Place) -> Dict[str, Any]:
    for name in ("launch_us", "bytes_us", "atomics_us", "flops_us", "time_over_floor"):
        if at.at(name).value is not None:
            at.at(name).not_negative()
    for name in ("random_us", "exponentials_us", "gathered_us", "steps_us", "time_over_model"):
        if (found := at.find(name)) and found.value is not None:
            found.not_negative()
    return at.value


def _kernel_of(at: _Place) -> Kernel:
    def extent(name: str) -> Tuple[int, ...]:
        counts = at.at(name).elements()
        if len(counts) != 3:
            at.at(name).refuse(f"expected three counts, found {len(counts)}")
        return tuple(count.count() for count in counts)

    return Kernel(at.at("name").text(), extent("grid"), extent("block"), at.at("dynamic_shared_bytes").count(),
                  at.at("theoretical_occupancy").numbers())


def _counted_kernel_of(at: _Place) -> KernelCounters:
    launches = at.find("launches")
    return KernelCounters(at.at("name").text(), launches.count() if launches else 1, at.at("values").numbers())


def _round_of(at: _Place) -> Dict[str, Dict[str, Any]]:
    for turn in at.members().values():
        turn.at("median_us").positive()
    return at.value


def _counters_in(entry: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    counters = entry.get("counters")
    return counters if isinstance(counters, dict) and "values" in counters else None


# Counters of a case of several kernels, as base/record/combined_counters.cpp forms them: sums add up, a ratio is the sum of
# its numerators over that of its denominators. Which counter a ratio is over is what harness/counters/metric_groups.json says.

_OVER = {ratio: over for over, ratios in {
    "gpu__time_duration.sum": """
        sm__cycles_elapsed.avg.per_second dram__bytes_read.sum.per_second dram__bytes_write.sum.per_second
        dram__cycles_elapsed.avg.per_second lts__cycles_elapsed.avg.per_second lts__t_sectors.sum.per_second""",
    "sm__cycles_elapsed.avg": """
        sm__cycles_active.avg.pct_of_peak_sustained_elapsed smsp__issue_active.avg.pct_of_peak_sustained_elapsed
        sm__inst_executed.avg.pct_of_peak_sustained_elapsed sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed
        l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed""",
    "smsp__cycles_active.avg": """
        smsp__issue_active.avg.pct_of_peak_sustained_active smsp__warps_eligible.avg.per_cycle_active""",
    "sm__cycles_active.avg": """
        sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active sm__warps_active.avg.pct_of_peak_sustained_active
        sm__warps_active.avg.per_cycle_active sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_tma.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fmaheavy.avg.pct_of_peak_sustained_active
        sm__inst_executed_pipe_fmalite.avg.pct_of_peak_sustained_active""",
    "dram__cycles_elapsed.avg": """
        dram__bytes_read.sum.pct_of_peak_sustained_elapsed dram__bytes_write.sum.pct_of_peak_sustained_elapsed
        dram__throughput.avg.pct_of_peak_sustained_elapsed""",
    "lts__t_requests.sum": """
        lts__t_request_hit_rate.pct""",
    "lts__cycles_elapsed.avg": """
        lts__t_sectors.avg.pct_of_peak_sustained_elapsed lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed""",
    "l1tex__t_sectors.sum": """
        l1tex__t_sector_hit_rate.pct""",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": """
        l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct""",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum": """
        smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct
        smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio""",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum": """
        smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct
        smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio""",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum": """
        smsp__sass_average_data_bytes_per_sector_mem_global_op_red.ratio""",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum": """
        smsp__sass_average_data_bytes_per_sector_mem_global_op_atom.ratio""",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio""",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ld.ratio""",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_st.ratio""",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_atom.ratio""",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ldsm.ratio""",
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum": """
        smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_gmma.ratio""",
    "smsp__inst_executed.sum": """
        smsp__average_thread_inst_executed_per_inst_executed.ratio""",
}.items() for ratio in ratios.split()}
# Of those whose numerator is a counter too.
_OF = {
    "sm__cycles_elapsed.avg.per_second": "sm__cycles_elapsed.avg",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed": "sm__cycles_active.avg",
    "smsp__issue_active.avg.pct_of_peak_sustained_elapsed": "smsp__issue_active.avg",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "smsp__issue_active.avg",
    "dram__bytes_read.sum.per_second": "dram__bytes_read.sum",
    "dram__bytes_write.sum.per_second": "dram__bytes_write.sum",
    "dram__cycles_elapsed.avg.per_second": "dram__cycles_elapsed.avg",
    "lts__t_request_hit_rate.pct": "lts__t_requests_lookup_hit.sum",
    "lts__cycles_elapsed.avg.per_second": "lts__cycles_elapsed.avg",
    "lts__t_sectors.sum.per_second": "lts__t_sectors.sum",
    "l1tex__t_sector_hit_rate.pct": "l1tex__t_sectors_lookup_hit.sum",
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": "smsp__sass_data_bytes_mem_global_op_ld.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio": "smsp__sass_data_bytes_mem_global_op_st.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_red.ratio": "smsp__sass_data_bytes_mem_global_op_red.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_atom.ratio": "smsp__sass_data_bytes_mem_global_op_atom.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio": "smsp__sass_data_bytes_mem_shared.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ld.ratio": "smsp__sass_data_bytes_mem_shared_op_ld.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_st.ratio": "smsp__sass_data_bytes_mem_shared_op_st.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_atom.ratio": "smsp__sass_data_bytes_mem_shared_op_atom.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_ldsm.ratio": "smsp__sass_data_bytes_mem_shared_op_ldsm.sum",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_gmma.ratio": "smsp__sass_data_bytes_mem_shared_op_gmma.sum",
    "smsp__average_thread_inst_executed_per_inst_executed.ratio": "smsp__thread_inst_executed.sum",
}


def _scale(ratio: str) -> float:
    return 100 if ".pct" in ratio else 1e9 if ratio.endswith(".per_second") else 1


def _short(value: float) -> float:
    """To six digits, as records are written."""
    return value if value == math.floor(value) else float(f"{value:.6g}")


class _KernelCounters:
    def __init__(self, read: Dict[str, List[float]]):
        self.read = read
        self.known = {name: list(values) for name, values in read.items()}
        # Elapsed cycles that another pass read would weigh ratios by another launch.
        share = read.get("sm__cycles_active.avg.pct_of_peak_sustained_elapsed")
        if share is not None and "sm__cycles_active.avg" in read and all(value > 0 for value in share):
            self.known.pop("sm__cycles_elapsed.avg", None)
        learned = True
        while learned:
            learned = False
            for ratio in sorted(_OF):
                for i in range(len(self.known.get(ratio, ()))):
                    learned = self._complete(ratio, i) or learned

    def _complete(self, ratio: str, i: int) -> bool:
        """Of the three numbers of a ratio the one that is missing, where the two others tell it."""
        ratios = self.known[ratio]
        of = self.known.setdefault(_OF[ratio], [math.nan] * len(ratios))
        over = self.known.setdefault(_OVER[ratio], [math.nan] * len(ratios))
        if not math.isfinite(ratios[i]):
            return False
        if not math.isfinite(of[i]) and math.isfinite(over[i]):
            of[i] = ratios[i] * over[i] / _scale(ratio)
            return True
        if not math.isfinite(over[i]) and math.isfinite(of[i]) and ratios[i] != 0:
            over[i] = _scale(ratio) * of[i] / ratios[i]
            return True
        return False

    def of_case(self, name: str) -> Tuple[Optional[float], str]:
        """The value, or why there is none; neither where the record's own value counts."""
        values = self.read[name]
        if name.endswith((".sum", ".avg", ".max")):
            return (sum(values), "") if all(map(math.isfinite, values)) else (None, "")
        if name not in _OVER:
            return None, "several kernels; the denominator is not known"
        over = self.known.get(_OVER[name])
        if over is None or not all(map(math.isfinite, over)):
            return None, "several kernels; the record lacks " + _OVER[name]
        numerator = denominator = 0.0
        for ratio, own in zip(values, over):
            if own != 0:  # nothing over nothing, whatever the hardware says of it
                numerator, denominator = numerator + ratio * own, denominator + own
        if not denominator > 0:
            return None, f"several kernels; {_OVER[name]} is 0 in all of them"
        return (numerator / denominator, "") if math.isfinite(numerator) else (None, "")


def _combine_counters(entry: Dict[str, Any]) -> None:
    counters = _counters_in(entry)
    kernels = counters.get("kernels") if counters is not None else None
    if not isinstance(kernels, list) or len(kernels) < 2 or not isinstance(counters["values"], dict):
        return
    rows = [kernel.get("values") if isinstance(kernel, dict) else None for kernel in kernels]
    numbers = [value for row in [counters["values"], *rows] if isinstance(row, dict) for value in row.values()]
    if not all(isinstance(row, dict) for row in rows) or any(
            value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))) for value in numbers):
        return
    read = {name: [math.nan if row.get(name) is None else row[name] for row in rows] for name in counters["values"]}
    of_kernels, missing = _KernelCounters(read), dict(counters.get("missing") or {})
    for name in counters["values"]:
        value, why_not = of_kernels.of_case(name)
        if value is None and not why_not:
            continue
        counters["values"][name] = None if value is None else _short(value)
        missing.pop(name, None)
        if why_not:
            missing[name] = why_not
    counters["missing"] = missing
