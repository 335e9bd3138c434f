"""Tables of a record as HTML for a notebook: an operation's workloads by variants, and the overview of a record
(docs/reading_records.md). ablate_record.py makes them: `record.table(...)`, or a record as the last line of a cell.

The fastest variant and its ties are those of `ablate best`. A notebook runs what it shows, so every text of a record is escaped.
"""
from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from ablate_record import Case, Record, Unmeasured, Workload

__all__ = ["Row", "Table", "html_of", "table_of"]


@dataclass(frozen=True)
class Row:
    """A workload."""
    workload: Workload
    times: Dict[str, Case]  # by variant, over all launches
    unmeasured: Dict[str, Unmeasured]
    fastest: Optional[str]  # None where fewer than two variants were measured
    ties: List[str]  # that the measurements do not tell from the fastest


@dataclass(frozen=True)
class Table:
    operation: str
    description: str
    variants: List[str]  # the baseline, then those that win most often or come nearest to the fastest
    rows: List[Row] = field(repr=False)
    launches: int
    whole: List[str] = field(repr=False)  # axes whose 0 means all of a file

    def to_html(self, max_rows: int = 60, max_variants: int = 12) -> str:
        """Of more rows those with the most variants, of more variants the leading ones; a line says what is left out."""
        variants = self.variants[:max_variants]
        ranked = sorted(range(len(self.rows)), key=lambda i: -len(self.rows[i].times))
        rows = [self.rows[i] for i in sorted(ranked[:max_rows])]
        columns = self._columns()
        varying = [name for name, values in columns.items() if len(set(values)) > 1]
        fixed = ", ".join(f"{name}={values[0]}" for name, values in columns.items() if len(set(values)) == 1)
        places = {id(row): i for i, row in enumerate(self.rows)}
        lines = [_line("th", [*varying, *variants])]
        for row in rows:
            lines.append(_line("td", [columns[name][places[id(row)]] for name in varying], [_cell(row, v) for v in variants]))
        left_out = [f"{shown} of {count} {what}" for shown, count, what in (
            (len(rows), len(self.rows), "workloads"), (len(variants), len(self.variants), "variants")) if shown < count]
        about = (f"Mean of {self.launches} launches' medians" if self.launches > 1 else "Median") + \
            " in µs ± half of its 95 % interval. Bold: the fastest. ≈: not told from the fastest."
        notes = [about, f"Everywhere: {fixed}." if fixed else "", f"Shown: {' and '.join(left_out)}." if left_out else ""]
        return (f"<p><b>{_escaped(self.operation)}</b>{': ' if self.description else ''}{_escaped(self.description)}<br/>"
                f"<small>{_escaped(' '.join(filter(None, notes)))}</small></p>\n<table>\n" + "\n".join(lines) + "\n</table>")

    def _columns(self) -> Dict[str, List[str]]:
        """What tells workloads apart, a value a row."""
        axes = dict.fromkeys(axis for row in self.rows for axis in row.workload.axes)
        columns = {"cache": [row.workload.cache_state for row in self.rows]}
        if len({row.workload[:2] for row in self.rows}) > len(set(columns["cache"])):
            columns["timed by"] = [row.workload.method for row in self.rows]
        return {**columns, **{axis: ["all" if axis in self.whole and row.workload.axes.get(axis) == "0"
                                     else row.workload.axes.get(axis, "") for row in self.rows] for axis in axes}}

    def _repr_html_(self) -> str:
        return self.to_html()


def table_of(record: Record, cases: Sequence[Case]) -> Table:
    """Of the cases of one operation, those of ceilings left out."""
    cases = [c for c in cases if c.ceiling is None]
    operations = list(dict.fromkeys(c.operation for c in cases))
    if len(operations) != 1:
        raise ValueError(f"{record.path}: expected measured cases of one operation, found " + (", ".join(operations) or "none"))
    by_workload: Dict[Workload, Dict[str, Case]] = {}
    for c in cases:
        by_workload.setdefault(c.workload, {}).setdefault(c.variant, c)
    unmeasured: Dict[Any, Dict[str, Unmeasured]] = {}
    for u in record.unmeasured:
        if u.operation == operations[0]:
            unmeasured.setdefault((u.cache_state, tuple(u.axes.items())), {})[u.variant] = u
    rows = [_row_of(record, workload, found, unmeasured.get((workload.cache_state, workload.axes_items), {}))
            for workload, found in by_workload.items()]
    facts = record.operations.get(operations[0], {})
    whole = [axis for axis, described in facts.get("axes", {}).items() if "all (or 0)" in str(described)]
    known = [v for v in record.variants(operations[0]) if any(v in row.times for row in rows)]
    return Table(operations[0], str(facts.get("description", "")), _leading(known, rows), rows, 1 + len(record.launches), whole)


def _row_of(record: Record, workload: Workload, found: Dict[str, Case], unmeasured: Dict[str, Unmeasured]) -> Row:
    times = {variant: record.over_launches(c) for variant, c in found.items()}
    fastest = min(times, key=lambda v: (times[v].median_us, v)) if len(times) > 1 else None
    ties = [v for v, c in found.items() if fastest not in (None, v) and record.is_tie(found[fastest], c)]
    return Row(workload, times, {v: u for v, u in unmeasured.items() if v not in times}, fastest, ties)


def _leading(variants: List[str], rows: List[Row]) -> List[str]:
    """The first one, the baseline; then by wins, then by the geometric mean of the time over the fastest's."""
    def standing(variant: str) -> Tuple[int, float]:
        logs = [math.log(row.times[variant].median_us / row.times[row.fastest].median_us)
                for row in rows if row.fastest is not None and variant in row.times]
        return -sum(row.fastest == variant for row in rows), sum(logs) / len(logs) if logs else math.inf

    return variants[:1] + sorted(variants[1:], key=standing)


def html_of(record: Record, max_rows: int = 12, max_variants: int = 6) -> str:
    """The run, then a table for each operation; the first is open."""
    operations = list(dict.fromkeys(c.operation for c in record.cases if c.ceiling is None))
    parts = ["<table>", *(f'<tr><th>{name}</th><td style="text-align: left">{_escaped(text)}</td></tr>'
                          for name, text in _facts_of(record) if text), "</table>"]
    for operation in operations:
        table = table_of(record, [c for c in record.cases if c.operation == operation])
        opened = ' open=""' if operation == operations[0] else ""
        parts.append(f"<details{opened}><summary>{_escaped(operation)}: {_counted(len(table.rows), 'workload')}, "
                     f"{_counted(len(table.variants), 'variant')}</summary>\n{table.to_html(max_rows, max_variants)}\n</details>")
    return "\n".join(parts)


def _facts_of(record: Record) -> Iterable[Tuple[str, str]]:
    device, build = record.device, record.build
    yield "suite", f"{record.suite['name']}: {record.suite['description']}"
    yield "device", ", ".join(str(fact) for fact in (device["name"], device.get("architecture"),
                                                     device.get("driver") and f"driver {device['driver']}") if fact)
    yield "commit", str(build.get("commit") or "unknown")[:12] + (" with local changes" if build.get("dirty") else "")
    gpus = len({c.specimen for launch in (record, *record.launches) for c in launch.cases})
    yield "launches", "1; intervals are of this launch alone" if not record.launches else \
        f"{1 + len(record.launches)}" + (f" on {gpus} devices" if gpus > 1 else "")
    yield "date", record.date
    lost: Dict[str, int] = {}
    for u in record.unmeasured:
        lost[u.status] = lost.get(u.status, 0) + 1
    yield "cases", f"{len(record.cases)} measured" + "".join(f", {count} {status}" for status, count in lost.items())


def _cell(row: Row, variant: str) -> str:
    """A table cell's HTML: 4.000 ± 0.125, with the case and its interval as the tip; of an unmeasured case why."""
    case, lost = row.times.get(variant), row.unmeasured.get(variant)
    if case is None:
        return "" if lost is None else f'<i title="{_escaped(lost.reason)}">{_escaped(lost.status)}</i>'
    digits = _decimals(case.median_us)
    low, high = (f"{us:.{digits}f}" for us in (case.ci95_low_us, case.ci95_high_us))
    time = f"{case.median_us:.{digits}f} ± {(case.ci95_high_us - case.ci95_low_us) / 2:.{digits}f}"
    shown = f"<b>{time}</b>" if variant == row.fastest else f"≈ {time}" if variant in row.ties else time
    return f'<span title="{_escaped(case.name)}: {low} to {high} µs">{shown}</span>'


def _decimals(value: float) -> int:
    """For four significant digits, as reports have them."""
    return min(max(3 - math.floor(math.log10(value)), 0), 6)


def _line(tag: str, words: Iterable[str], cells: Iterable[str] = ()) -> str:
    """Of words to be escaped, then of cells in HTML."""
    return "<tr>" + "".join(f"<{tag}>{_escaped(word)}</{tag}>" for word in words) + \
        "".join(f'<td style="text-align: right; white-space: nowrap">{cell}</td>' for cell in cells) + "</tr>"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _escaped(text: str) -> str:
    return html.escape(text)
