"""docs/examples/cluster/reframe_ablate.py under a stand-in of ReFrame: cluster_examples_test.py FOLDER SUITE.

The stand-in has the names that the check takes from ReFrame, and calls what it registers as ReFrame does: the command before the run,
sanity after it, performance variables last. That ReFrame itself accepts the check is not shown here.
"""
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types


class RunOnly(type):
    """Puts ReFrame's built-in names into the body of a check."""

    @classmethod
    def __prepare__(mcs, name, bases, **_):
        before = lambda stage: lambda function: setattr(function, "stage", stage) or function
        return {"variable": lambda *types_, value=None: value, "run_before": before,
                "sanity_function": lambda function: setattr(function, "stage", "sanity") or function}


class RunOnlyRegressionTest(metaclass=RunOnly):
    postrun_cmds = ()

    def functions(self, stage):
        return [getattr(self, name) for name in dir(type(self)) if getattr(getattr(type(self), name), "stage", None) == stage]


def stand_in():
    checks = []
    reframe = types.ModuleType("reframe")
    reframe.simple_test = lambda check: checks.append(check) or check
    reframe.RunOnlyRegressionTest = RunOnlyRegressionTest
    sanity = types.ModuleType("reframe.utility.sanity")
    sanity.all = all
    sanity.assert_false = lambda value, msg="": not value
    sanity.assert_found = lambda pattern, text: re.search(pattern, text, re.M) is not None
    sanity.make_performance_function = lambda function, unit: (function(), unit)
    utility = types.ModuleType("reframe.utility")
    utility.sanity = sanity
    sys.modules.update({"reframe": reframe, "reframe.utility": utility, "reframe.utility.sanity": sanity})
    return checks


def run(check, suite, spoil=None):
    """(sanity, performance variables) of a run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        of = check()
        of.suite, of.stagedir = suite, folder
        for function in of.functions("run"):
            function()
        subprocess.run([of.executable, *of.executable_opts], cwd=folder, check=True, capture_output=True)
        if spoil:
            spoil(pathlib.Path(folder) / "out/record.json")
        after = subprocess.run(["sh", "-c", "; ".join(of.postrun_cmds)], cwd=folder, capture_output=True, text=True)
        of.stdout = after.stdout
        (sanity,) = of.functions("sanity")
        is_sane = sanity()
        for function in of.functions("performance"):
            function()
        return is_sane, of.perf_variables


def add_a_wrong_case(path):
    record = json.loads(path.read_text())
    last = record["benchmarks"][-1]
    record["unmeasured"].append({"name": last["name"] + "2", "operation": last["operation"], "variant": last["variant"], "axes": last["axes"],
                                 "cache_state": last["cache_state"], "status": "wrong", "reason": "planted"})
    path.write_text(json.dumps(record))


def forge(path):
    record = json.loads(path.read_text())
    record["benchmarks"][-1]["iterations"] += 1  # not what its samples say
    path.write_text(json.dumps(record))


def main(folder, suite):
    checks = stand_in()
    sys.path.insert(0, folder)
    example = importlib.import_module("reframe_ablate")
    (check,) = checks
    assert len((pathlib.Path(folder) / "reframe_ablate.py").read_text().splitlines()) <= 65
    is_sane, variables = run(check, suite)
    assert is_sane
    assert variables == {}, "the host has references alone, so no speed-up"
    assert not run(check, suite, add_a_wrong_case)[0], "a wrong case passed"
    assert not run(check, suite, forge)[0], "a forged record passed"
    import ablate_record
    tree = pathlib.Path(__file__).resolve().parents[2]
    ups = example.best_speed_ups(ablate_record.load(tree / "results/h200/quick"))
    assert set(ups) == {"voxelize"} and ups["voxelize"] > 1, ups


if __name__ == "__main__":
    main(*sys.argv[1:])
