"""scripts/mutants: an unsound mutant has the reason of the case; what was found is there whenever the run ends."""
import contextlib
import dataclasses
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/mutants"
sys.path.insert(0, str(SCRIPT))

import table  # noqa: E402
from patches import Mutant  # noqa: E402
from trial import Outcome, Trial, outcome_of  # noqa: E402

spec = importlib.util.spec_from_file_location("mutants", SCRIPT / "__main__.py")
mutants = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mutants)


def mutant(name, cases="^pool/"):
    return Mutant(pathlib.Path(f"pool/{name}.patch"), "pool", name, "made", cases, (), ("kernels/pool/a.cu",))


class Told(Trial):
    """A run whose record says this."""

    def statuses(self, device):
        wrong = ("wrong", "before timing: row 7 | is off")
        return {"pool/a": ("ok", ""), "pool/b": wrong, "pool/c": ("failed", "no GPU")}


class Recovering(Trial):
    """A program that finds its suite at the second call only."""

    def call(self, command):
        if not self.out.exists():
            self.out.mkdir()
            return "suite.json: expected a readable file"
        wrong = {"name": "pool/a", "status": "wrong", "reason": "row 7 is off"}
        (self.out / "record.json").write_text(json.dumps({"benchmarks": [], "unmeasured": [wrong]}))
        return ""


RUN = Told(pathlib.Path("ablate"), pathlib.Path("suite.json"), (), "^pool/", pathlib.Path("out"), 1)


class Verdicts(unittest.TestCase):
    def test_an_unsound_mutant_has_the_reason_of_each_case(self):
        without_fault = outcome_of(RUN, "0")
        self.assertEqual(mutants.unsound(mutant("m", "^pool/a"), without_fault), "")
        self.assertEqual(
            mutants.unsound(mutant("m"), without_fault),
            "pool/b: wrong: before timing: row 7 | is off; pool/c: failed: no GPU",
        )

    def test_a_run_without_a_record_is_the_reason(self):
        hung = Outcome("crashed", cases={"pool": "crashed"}, reasons={"pool": "still running after 60 s"})
        self.assertEqual(mutants.unsound(mutant("m"), hung), "pool: crashed: still running after 60 s")

    def test_a_run_without_a_record_is_tried_once_more(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Recovering(pathlib.Path("ablate"), pathlib.Path("suite.json"), (), "^pool/", pathlib.Path(folder) / "out", 1)
            self.assertEqual(outcome_of(run, "0"), Outcome("killed", "pool/a", "row 7 is off", {"pool/a": "wrong"},
                                                           {"pool/a": "row 7 is off"}))

    def test_only_that_names_none_does_not_mean_all(self):
        with unittest.mock.patch.object(sys, "argv", ["mutants", "--only", "", "--check"]):
            with self.assertRaisesRegex(SystemExit, "names none"):
                mutants.main()

    def test_the_program_without_a_fault_may_take_longer_than_a_mutant(self):
        session, given = object.__new__(mutants.Session), []
        session.given = types.SimpleNamespace(timeout=60)
        session.scratch, session.build = pathlib.Path(), types.SimpleNamespace(folder=pathlib.Path("build"))

        def run(program, first, cases, out, seconds):
            given.append((cases, seconds))
            return Outcome("survived", cases={"pool/a": "ok"})

        session.run = run
        session.without_fault([mutant("a", "^pool/a"), mutant("b", "^pool/b")])
        self.assertEqual(given, [("(?:^pool/a)|(?:^pool/b)", 600)])


class Resumed(unittest.TestCase):
    """What a run goes on with."""

    BUILD = {"commit": "c", "sources": "s"}
    ALL = [mutant(name) for name in "abcd"]

    def table_of(self, folder, device="GPU", build=BUILD):
        told = [
            (mutant("a"), Outcome("killed", "pool/a", "row 7 | is off", {"pool/a": "wrong"})),
            (mutant("b"), Outcome("survived", "pool/a", "", {"pool/a": "ok"})),
            (mutant("c"), Outcome("crashed", message="out of memory")),
            (mutant("d"), Outcome("not run", message="interrupted")),
        ]
        table.write(told, device, build, folder)
        return dict((m.id, o) for m, o in told[:2])

    def test_verdicts_are_kept_and_the_rest_runs_again(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            self.assertEqual(table.read(self.ALL, folder, "GPU", self.BUILD), {})
            kept = self.table_of(folder)
            self.assertEqual(table.read(self.ALL, folder, "GPU", self.BUILD), kept)
            changed = [dataclasses.replace(m, digest="new") if m.name == "a" else m for m in self.ALL]
            self.assertEqual(list(table.read(changed, folder, "GPU", self.BUILD)), ["pool/b"])

    def test_of_another_build_or_device_none_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            self.table_of(folder)
            for device, build, what in [
                ("other", self.BUILD, "device: GPU, here other"),
                ("GPU", {"commit": "c", "sources": "t"}, "sources: s, here t"),
                ("GPU", {}, "sources: s, here None"),
            ]:
                with self.assertRaisesRegex(table.OtherTable, what):
                    table.read(self.ALL, folder, device, build)

    def test_a_file_that_is_no_table_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in ["{", "[]", '{"device": "GPU"}', '{"device": "GPU", "build": [], "mutants": []}']:
                (pathlib.Path(folder) / "mutants.json").write_text(text)
                with self.assertRaisesRegex(table.OtherTable, "mutants.json: expected a table"):
                    table.read(self.ALL, pathlib.Path(folder), "GPU", self.BUILD)


class MadeSession:
    """Judges mutants by their names; at the one called `stop` the run is interrupted."""

    mutants_at_a_time = 2

    def __init__(self):
        self.given = types.SimpleNamespace(no_run=False)
        self.build = types.SimpleNamespace(cost=lambda m: {"first": 2, "stop": 1}.get(m.name, 0))

    def without_fault(self, kin):
        return Outcome("survived", cases={"pool/a": "ok"})

    def outcome(self, m):
        if m.name == "first":
            return Outcome("killed", "pool/a", "row 7 is off", {"pool/a": "wrong"})
        raise KeyboardInterrupt


class Busy(MadeSession):
    """Knows how many mutants were under way at once."""

    def __init__(self):
        super().__init__()
        self.here, self.most, self.changing = 0, 0, threading.Lock()

    def outcome(self, m):
        with self.changing:
            self.here += 1
            self.most = max(self.most, self.here)
        time.sleep(0.02)
        with self.changing:
            self.here -= 1
        return Outcome("killed", "pool/a", "row 7 is off", {"pool/a": "wrong"})


class Many(unittest.TestCase):
    def test_only_so_many_are_under_way_at_once(self):
        session, all_of_them, told = Busy(), [mutant(f"m{i}") for i in range(8)], {}
        with contextlib.redirect_stdout(io.StringIO()):
            mutants.judge(session, all_of_them, told, lambda: None)
        self.assertEqual(len(told), 8)
        self.assertLessEqual(session.most, session.mutants_at_a_time)


class Recovers(MadeSession):
    """Judges by what it was told to say of each, and remembers whom it was asked for."""

    def __init__(self, says):
        super().__init__()
        self.says, self.asked = says, []

    def outcome(self, m):
        self.asked.append(m.name)
        return Outcome(self.says[m.name])


class Alone(unittest.TestCase):
    def test_what_came_to_no_verdict_runs_once_more_alone(self):
        beside = Recovers({"a": "killed", "b": "crashed", "c": "survived", "d": "crashed"})
        alone, told = Recovers({"b": "killed", "d": "crashed"}), {}
        with contextlib.redirect_stdout(io.StringIO()):
            mutants.judge_twice(beside, alone, [mutant(name) for name in "abcd"], told, lambda: None)
        self.assertEqual(sorted(alone.asked), ["b", "d"])
        verdicts = {id: outcome.verdict for id, outcome in told.items()}
        self.assertEqual(verdicts, {"pool/a": "killed", "pool/b": "killed", "pool/c": "survived", "pool/d": "crashed"})


class Interrupted(unittest.TestCase):
    def test_what_was_found_is_saved_at_once(self):
        both, told = [mutant("first"), mutant("stop")], {}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            out = pathlib.Path(folder) / "out"

            def save():
                rest = Outcome("not run", message="interrupted")
                table.write([(m, told.get(m.id, rest)) for m in both], "a GPU", {}, out)

            with self.assertRaises(KeyboardInterrupt):
                mutants.judge(MadeSession(), both, told, save)
            found = json.loads((out / "mutants.json").read_text())["mutants"]
            verdicts = {m["mutant"]: m["verdict"] for m in found}
            self.assertEqual(verdicts, {"pool/first": "killed", "pool/stop": "not run"})
            self.assertIn("1 of 2 killed, 1 not run, on a GPU", (out / "mutants.md").read_text())
            self.assertEqual(sorted(file.name for file in out.iterdir()), ["mutants.json", "mutants.md"])


if __name__ == "__main__":
    unittest.main()
