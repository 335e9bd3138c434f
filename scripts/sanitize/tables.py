"""What the tools found, as the document sanitizers.json and as a table of kernel by tool."""
import collections

import exceptions
from reports import function_name


def findings_of(run, known):
    """Reports of one kind, place and kernel are one finding."""
    found = {}
    for report in run.reports:
        key = (report.kernel, report.what)
        entry = found.setdefault(key, {"tool": run.tool, "kernel": report.kernel, "what": report.what, "reports": 0,
                                       "cases": [], "exception": exceptions.which(known, run.tool, report),
                                       "first": report.lines[:12]})
        entry["reports"] += 1
        if report.case and report.case not in entry["cases"]:
            entry["cases"].append(report.case)
    return list(found.values())


def summary_of(run):
    """What became of a tool's cases; all that are not ok with their reason."""
    counts = collections.Counter(result["status"] for result in run.results.values())
    return {"seconds": run.seconds, "cases": len(run.results), "ended": counts["ok"] + counts["differs"],
            "not_needed": counts["not_needed"],
            "launches": sum(run.launches.values()),
            "slowest": sorted(((r["seconds"], c) for c, r in run.results.items() if "seconds" in r), reverse=True)[:10],
            "not_ok": {case: result for case, result in run.results.items() if result["status"] not in ("ok", "not_needed")}}


def document(facts, runs, known, own_kernels):
    """`own_kernels`: all kernels of the program by demangled name."""
    findings = [finding for run in runs for finding in findings_of(run, known)]
    shared_bytes = collections.Counter()
    for run in runs:
        shared_bytes |= run.shared_bytes
    seen = {name for run in runs for name in run.shared_bytes}
    without = {name for name in seen if shared_bytes[name] == 0 and function_name(name).startswith("ablate::")}
    kernels = collections.defaultdict(lambda: {"instances": 0, "shared_bytes": None, "tools": {}})
    for name in seen:
        entry = kernels[function_name(name)]
        entry["shared_bytes"] = max(entry["shared_bytes"] or 0, shared_bytes[name])
    for name in own_kernels:
        kernels[function_name(name)]["instances"] += 1
    for run in runs:
        instances = collections.Counter(function_name(name) for name in run.launches)
        launches = collections.Counter()
        for name, count in run.launches.items():
            launches[function_name(name)] += count
        for function in {*kernels, *instances}:
            of_it = [f for f in findings if f["tool"] == run.tool and f["kernel"] == function]
            kernels[function]["tools"][run.tool] = {
                "instances": instances[function], "launches": launches[function],
                "findings": sum(f["exception"] is None for f in of_it),
                "exceptions": sorted({f["exception"] for f in of_it if f["exception"]})}
    not_launched = {run.tool: sorted(set(own_kernels) - set(run.launches)
                                     - (without if run.tool == "racecheck" else set())) for run in runs}
    return {**facts, "tools": {run.tool: summary_of(run) for run in runs}, "findings": findings,
            "kernels": dict(sorted(kernels.items())), "not_launched": not_launched}


def is_clean(result):
    """Nothing found but exceptions, every case ended rightly, every kernel launched."""
    return not (any(finding["exception"] is None for finding in result["findings"])
                or any(tool["not_ok"] for tool in result["tools"].values()) or any(result["not_launched"].values()))


def _cell(kernel, entry, name):
    tool, instances = entry["tools"][name], entry["instances"]
    if name == "racecheck" and not kernel.startswith("ablate::"):
        return "not watched"
    if name == "racecheck" and entry["shared_bytes"] == 0:
        return "no shared memory"
    if tool["launches"] == 0 and not tool["findings"]:
        return "not launched"
    text = f"{tool['findings']} found" if tool["findings"] else "clean"
    if tool["exceptions"]:
        text = (text + ", " if tool["findings"] else "") + "excepted: " + ", ".join(tool["exceptions"])
    if tool["instances"] < instances:
        text += f" ({tool['instances']} of {instances})"
    return text


def _short(kernel):
    return kernel.removeprefix("ablate::")


def markdown(result):
    tools = list(result["tools"])
    lines = ["# Kernels under compute-sanitizer", "",
             f"Sources {result['program'].get('sources', 'unknown')}, commit {result['program'].get('commit', 'unknown')}; "
             f"{result['device']}, {result['sanitizer']}. Made by `scripts/sanitize.sh` (docs/sanitizers.md).", "",
             "| tool | seconds | cases | not needed | ended | launches | findings | excepted |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for tool in tools:
        summary = result["tools"][tool]
        of_tool = [f for f in result["findings"] if f["tool"] == tool]
        lines.append(f"| {tool} | {summary['seconds']:.0f} | {summary['cases']} | {summary['not_needed']} | {summary['ended']} "
                     f"| {summary['launches']} | {sum(f['exception'] is None for f in of_tool)} "
                     f"| {sum(f['exception'] is not None for f in of_tool)} |")
    lines += ["", *_poisoned(result), *_findings(result), *_unfinished(result),
              "| kernel | forms | " + " | ".join(tools) + " |", "| --- | ---: | " + " | ".join("---" for _ in tools) + " |"]
    for kernel, entry in result["kernels"].items():
        cells = " | ".join(_cell(kernel, entry, tool) for tool in tools)
        lines.append(f"| {_short(kernel)} | {entry['instances'] or 'library'} | {cells} |")
    return "\n".join(lines) + "\n"


def lines_of_findings(result):
    """One for each finding that no exception covers."""
    return [f"- {f['tool']}, {_short(f['kernel'] or 'no kernel')}: {f['what']} ({f['reports']} reports"
            + (f", first in `{f['cases'][0]}`" if f["cases"] else "") + ")"
            for f in result["findings"] if f["exception"] is None]


def _poisoned(result):
    if "initcheck" not in result["tools"] or not result["poisoned"]:
        return []
    return ["On poisoned memory, since initcheck does not see their writes: "
            + ", ".join(f"`{name}`, {cases} cases" for name, cases in result["poisoned"].items()) + ".", ""]


def _findings(result):
    lines = lines_of_findings(result)
    return ["Found:", "", *lines, ""] if lines else []


def _unfinished(result):
    lines = []
    for tool, summary in result["tools"].items():
        by_reason = collections.defaultdict(list)
        for case, outcome in summary["not_ok"].items():
            by_reason[f"{outcome['status']}: {outcome['reason']}"].append(case)
        lines += [f"- {tool}, {len(cases)} cases {reason}; first `{cases[0]}`" for reason, cases in by_reason.items()]
    return ["Not brought to a right end:", "", *lines, ""] if lines else []
