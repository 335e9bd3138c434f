"""scripts/sanitize: reads what compute-sanitizer prints, and loses no case to one that dies, hangs or says too much."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/scripts/data/sanitize"
SCRIPT = ROOT / "scripts/sanitize"
sys.path.insert(0, str(SCRIPT))

import exceptions  # noqa: E402
import reports  # noqa: E402
import watched  # noqa: E402


def read_log(tool):
    """The log of a process that ran one case's kernels."""
    log, case, kernel = reports.Log(), None, None
    for line in (DATA / f"{tool}.log").read_text().splitlines(keepends=True):
        if not log.feed(line, case, kernel) and line.startswith("{"):
            event = json.loads(line)
            case, kernel = event.get("case", case), event.get("kernel", kernel)
            kernel = kernel and reports.function_name(kernel)
    return log


class Reports(unittest.TestCase):
    def test_name_of_a_kernel_however_it_is_written(self):
        name = "ablate::matmul::multiply"
        for written in (name, name + "(ablate::view)", f"void {name}<32, true>(ablate::view)", f"void {name}<(int)32>(T1)"):
            self.assertEqual(reports.function_name(written), name)

    def test_memcheck(self):
        log = read_log("memcheck")
        self.assertEqual(len(log.reports), 3)
        self.assertEqual(log.counted, 3)
        self.assertFalse(log.is_cut)
        first = log.reports[0]
        self.assertEqual(first.frames, [("ablate::matmul::view::element", "view.cuh:31"),
                                        ("ablate::matmul::multiply_tiles", "smem_tiles.cu:40")])
        self.assertEqual(first.what, "Invalid __global__ read of size 4 bytes at view.cuh:31, smem_tiles.cu:40")
        self.assertEqual(first.what, log.reports[1].what)
        self.assertEqual(first.case, "matmul/smem_tiles/size=100/shape=square/@cold-clean")
        first.kernel = "another"
        first.attribute({"ablate::matmul::multiply_tiles"})
        self.assertEqual(first.kernel, "ablate::matmul::multiply_tiles")
        self.assertTrue(log.reports[2].what.startswith("Program hit cudaErrorLaunchFailure"))

    def test_racecheck_keeps_both_accesses(self):
        log = read_log("racecheck")
        self.assertEqual(log.counted, 2)
        self.assertEqual([place for _, place in log.reports[0].frames], ["hopper_fused.cuh:315", "cp_async_bulk.h:44"])
        self.assertEqual(log.reports[0].what,
                         "Error: Race reported between Read access at hopper_fused.cuh:315, cp_async_bulk.h:44")

    def test_initcheck_says_when_it_printed_less_than_it_counted(self):
        log = read_log("initcheck")
        self.assertTrue(log.is_cut)
        self.assertEqual((log.counted, len(log.reports)), (257, 1))
        log.reports[0].attribute({"cub::DeviceReduce::Sum"})
        self.assertEqual(log.reports[0].kernel, "cub::DeviceReduce::Sum", "a library's kernel goes by the library's name")

    def test_synccheck(self):
        report = read_log("synccheck").reports[0]
        report.attribute({"ablate::psh_bucket::sum_columns"})
        self.assertEqual(report.kernel, "ablate::psh_bucket::sum_columns")


class Exceptions(unittest.TestCase):
    committed = ROOT / "tests/sanitizers/exceptions.json"

    def test_cover_what_they_name_and_nothing_else(self):
        known, _, _ = exceptions.read(self.committed)
        copy, other = read_log("racecheck").reports
        self.assertEqual(exceptions.which(known, "racecheck", copy), "fused-statistics")
        self.assertIsNone(exceptions.which(known, "memcheck", copy))
        self.assertIsNone(exceptions.which(known, "racecheck", other))

    def test_each_names_a_kernel_a_place_and_a_mutant_that_are_there(self):
        baseline = json.loads((ROOT / "suites/gates/static_baseline.json").read_text())
        kernels = {reports.function_name(name) for name in baseline["kernels"]}
        known, poisoned, _ = exceptions.read(self.committed)
        for exception in known:
            self.assertTrue(any(exception.kernel.fullmatch(kernel) for kernel in kernels), exception.name)
        for exception in [*known, *poisoned]:
            path, functions = exception.where.split(": ")
            source = (ROOT / path).read_text()
            for function in functions.split(", "):
                self.assertTrue(re.search(rf"\b{function}\(", source), f"{exception.name}: no {function} in {path}")
            patch = (ROOT / exception.mutant).read_text()
            self.assertRegex(patch, r"^fault: .+\ncases: .+\n--- a/", exception.name)
            self.assertIn(f"+++ b/{path}", patch, exception.name)

    def test_refuses_an_entry_without_a_mutant(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "exceptions.json"
            path.write_text('{"exceptions": [{"name": "n", "tool": "racecheck"}], "poisoned": [], "not_run": []}')
            with self.assertRaisesRegex(exceptions.BadExceptions, r"/exceptions/0: expected the keys .*mutant"):
                exceptions.read(path)
            path.write_text('{"exceptions": [], "poisoned": [{"name": "n"}], "not_run": []}')
            with self.assertRaisesRegex(exceptions.BadExceptions, r"/poisoned/0: expected the keys .*mutant"):
                exceptions.read(path)
            path.write_text('{"exceptions": []}')
            with self.assertRaisesRegex(exceptions.BadExceptions, "/poisoned: expected a list"):
                exceptions.read(path)


class Fewest(unittest.TestCase):
    def test_every_kernel_of_every_variant(self):
        kernels = {"a/one/n=1": {"f"}, "a/one/n=2": {"f", "g"}, "a/two/n=1": {"f"}, "a/two/n=2": {"h"}}
        self.assertEqual(watched.fewest(list(kernels), kernels),
                         {"a/one/n=2": set(), "a/two/n=1": set(), "a/two/n=2": set()})

    def test_a_kernel_of_many_variants_once(self):
        kernels = {f"a/v{i}/n=1": {"own" + str(i), "oracle"} for i in range(watched.FEW_VARIANTS + 1)}
        chosen = watched.fewest(list(kernels), kernels)
        self.assertEqual(list(chosen), list(kernels), "each has a kernel of its own")
        self.assertEqual(sum("oracle" in elsewhere for elsewhere in chosen.values()), len(kernels) - 1)

    def test_what_a_network_launches_in_the_operation_that_it_is(self):
        kernels = {"network/v/n=1": {"f", "g", "own"}, "network/w/n=1": {"f", "g"}, "a/one/n=1": {"f"}, "b/one/n=1": {"g"}}
        self.assertEqual(watched.fewest(list(kernels), kernels),
                         {"network/v/n=1": {"f", "g"}, "a/one/n=1": set(), "b/one/n=1": set()})


class Shares(unittest.TestCase):
    def test_slow_cases_go_first_and_alone(self):
        cases = {case: 1 for case in ("a", "slow", "b", "slower")}
        made = watched.shares(cases, 4, {"a": {"f"}, "b": {"f", "g"}}, {"a": 0.2, "slow": 3, "slower": 9})
        self.assertEqual([share.cases for share in made], [["slower"], ["slow"], ["a", "b"]])
        self.assertEqual(made[-1].unwatched, {"f"})


# Stands in for compute-sanitizer, nvidia-smi and the program: a word in a case's name says what becomes of it.
FAKE_SANITIZER = """#!/bin/sh
if [ "$1" = --version ]; then echo "Version 2025.3.0"; exit; fi
while [ "${1##*/}" != ablate ]; do
  if [ "$1" = --kernel-name-exclude ]; then export UNWATCHED="$2"; fi
  shift
done
exec "$@"
"""
FAKE_SMI = "#!/bin/sh\necho 'NVIDIA H200, 9.0'\n"
FAKE_PROGRAM = """#!/usr/bin/env python3
import json, os, re, sys, time
cases = [f"made/{c}/n=1/@{s}" for c in CASES for s in ("cold-clean", "hot")]
def say(**line): print(json.dumps(line), flush=True)
if sys.argv[1] == "--version":
    print("ablate 0.1.0\\ncommit         abc\\nsources        def")
elif sys.argv[1] == "plan":
    say(list=[{"name": c, "status": "to_measure", "device_bytes": 10**9 if "large" in c else 1} for c in cases] + [{"name": "x", "status": "not_applicable"}])
elif sys.argv[1] == "list":
    say(kernels={"void ablate::made::run<1>(int)": {}, "ablate::made::end(int)": {}, "cub::other(int)": {}})
else:
    wanted = re.compile(sys.argv[sys.argv.index("--filter") + 1])
    chosen = [c for c in cases if wanted.search(c)]
    print("========= COMPUTE-SANITIZER")
    print("device", sys.argv[sys.argv.index("--device") + 1])
    cut = False
    for c in chosen:
        say(case=c)
        say(kernel="void ablate::made::run<1>(int)", shared_bytes=64 if "shared" in c else 0)
        if "hangs" in c: time.sleep(600)
        if "dies" in c: sys.exit("the device is lost")
        if "faulty" in c or "wordy" in c:
            print("========= Invalid __global__ read of size 4 bytes\\n=========     at ablate::made::end(int)+0x10 in f.cu:2")
        if "unseen" in c and not ("--poisoned" in sys.argv and re.search(sys.argv[sys.argv.index("--poisoned") + 1], c)):
            print("========= Uninitialized read\\n=========     at ablate::made::end(int)+0x10 in f.cu:2")
        if "floods" in c:
            kernel = "run" if "UNWATCHED" in os.environ else "end"
            print(f"========= Uninitialized read\\n=========     at ablate::made::{kernel}(int)+0x10 in f.cu:2")
            cut |= kernel == "end"
        cut |= "wordy" in c and len(chosen) > 1
        say(kernel="ablate::made::end(int)", shared_bytes=0)
        say(name=c, output="differs" if "differs" in c else "ok", message="place 3")
    if "silent" not in c:
        print("========= ERROR SUMMARY: 1 error")
    if cut: print("========= ERROR SUMMARY: 9 errors were not printed. Use --print-limit")
"""


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("compute-sanitizer", FAKE_SANITIZER)
        self.write("nvidia-smi", FAKE_SMI)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def sanitize(self, cases, *options, tools="memcheck"):
        """(exit code, sanitizers.json, table.md) of a run of the tools on these cases."""
        program = self.write("ablate", FAKE_PROGRAM.replace("CASES", repr(cases)))
        done = subprocess.run(
            [sys.executable, str(SCRIPT), "--program", str(program), "--tools", tools, "--jobs", "2", "--chunk", "4",
             "--sanitizer", str(self.folder / "compute-sanitizer"), "--out", str(self.folder / "out"), *options],
            capture_output=True, text=True, env={"PATH": f"{self.folder}:/usr/bin:/bin"})
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        out = self.folder / "out"
        return done.returncode, json.loads((out / "sanitizers.json").read_text()), (out / "table.md").read_text()

    def test_clean(self):
        code, result, table = self.sanitize(["a", "b", "c", "d", "e"])
        self.assertEqual(code, 0)
        self.assertEqual(result["tools"]["memcheck"]["ended"], 5, "a case in another cache state is the same work")
        self.assertEqual(result["program"]["sources"], "def")
        self.assertEqual(result["not_launched"]["memcheck"], [])
        self.assertRegex(table, r"\| made::run \| 1 \| clean \|")

    def test_racecheck_runs_what_has_shared_memory(self):
        code, result, table = self.sanitize(["a", "shared", "b"], tools="memcheck,racecheck")
        self.assertEqual(code, 0, table)
        self.assertEqual([(t["not_needed"], t["ended"]) for t in result["tools"].values()], [(0, 3), (2, 1)])
        self.assertEqual(result["not_launched"], {"memcheck": [], "racecheck": []})
        self.assertRegex(table, r"\| made::run \| 1 \| clean \| clean \|")
        self.assertRegex(table, r"\| made::end \| 1 \| clean \| no shared memory \|")

    def test_racecheck_takes_each_kernel_of_each_variant_once(self):
        code, result, _ = self.sanitize(["shared", "shared/twice", "other_shared"], tools="memcheck,racecheck")
        self.assertEqual(code, 0)
        self.assertEqual([(t["not_needed"], t["ended"]) for t in result["tools"].values()], [(0, 3), (1, 2)])

    def test_large_cases_go_first_and_alone_and_processes_to_all_gpus(self):
        self.sanitize(["a", "b", "large", "c"], "--devices", "2,5")
        first, second = sorted((self.folder / "out/logs").iterdir())
        self.assertIn("made/large/", first.read_text())
        self.assertNotIn("made/large/", second.read_text())
        self.assertEqual([log.read_text().split("device ")[1].split()[0] for log in (first, second)], ["2", "5"])

    def test_a_report_is_a_finding_of_its_kernel(self):
        code, result, table = self.sanitize(["a", "faulty"])
        self.assertEqual(code, 1)
        self.assertEqual([(f["kernel"], f["cases"]) for f in result["findings"]],
                         [("ablate::made::end", ["made/faulty/n=1/@cold-clean"])])
        self.assertRegex(table, r"\| made::end \| 1 \| 1 found \|")
        self.assertRegex(table, r"\| made::run \| 1 \| clean \|")

    def test_a_case_that_dies_or_hangs_costs_itself_alone(self):
        code, result, _ = self.sanitize(["a", "dies", "b", "hangs", "c"], "--case-seconds", "2")
        memcheck = result["tools"]["memcheck"]
        self.assertEqual(code, 1)
        self.assertEqual(memcheck["ended"], 3)
        self.assertEqual({case.split("/")[1]: outcome["status"] for case, outcome in memcheck["not_ok"].items()},
                         {"dies": "failed", "hangs": "timeout"})
        self.assertIn("the device is lost", memcheck["not_ok"]["made/dies/n=1/@cold-clean"]["reason"])

    def test_a_process_that_begins_no_case_is_not_started_for_each_of_them(self):
        self.write("compute-sanitizer", "#!/bin/sh\n[ \"$1\" = --version ] || { echo no such option; exit 1; }\n")
        code, result, _ = self.sanitize(["a", "b", "c"])
        self.assertEqual(code, 1)
        self.assertEqual(list(result["tools"]["memcheck"]["not_ok"].values()),
                         3 * [{"status": "failed", "reason": "the process ended with 1: no such option (without the tool's summary)"}])
        self.assertEqual(len(list((self.folder / "out/logs").iterdir())), 1)

    def test_what_did_not_run_is_listed(self):
        code, result, table = self.sanitize(["hangs", "a", "b", "c", "d", "hangs_too", "e", "f"], "--seconds", "2")
        self.assertEqual(code, 1)
        not_ok = result["tools"]["memcheck"]["not_ok"]
        self.assertEqual({outcome["status"] for outcome in not_ok.values()}, {"not_run"})
        self.assertEqual(sorted(case.split("/")[1] for case in not_ok), ["a", "b", "c", "d", "e", "f", "hangs", "hangs_too"])
        self.assertIn("8 cases not_run: the time was up", table)

    def test_told_to_end_it_writes_what_it_has_seen(self):
        program = self.write("ablate", FAKE_PROGRAM.replace("CASES", repr(["a", "hangs"])))
        running = subprocess.Popen(
            [sys.executable, str(SCRIPT), "--program", str(program), "--tools", "memcheck,racecheck", "--chunk", "1",
             "--sanitizer", str(self.folder / "compute-sanitizer"), "--out", str(self.folder / "out")],
            stdout=subprocess.PIPE, text=True, env={"PATH": f"{self.folder}:/usr/bin:/bin"})
        self.assertIn("1 of 2 cases", running.stdout.readline())
        running.terminate()
        running.communicate(timeout=30)
        result = json.loads((self.folder / "out/sanitizers.json").read_text())
        self.assertEqual(running.returncode, 1)
        self.assertEqual({tool: summary["ended"] for tool, summary in result["tools"].items()}, {"memcheck": 1, "racecheck": 0})

    def test_a_process_that_says_too_much_is_split_into_its_cases(self):
        _, result, _ = self.sanitize(["wordy", "faulty", "a"])
        self.assertEqual({f["kernel"]: sorted(f["cases"]) for f in result["findings"]},
                         {"ablate::made::end": ["made/faulty/n=1/@cold-clean", "made/wordy/n=1/@cold-clean"]})
        self.assertEqual(result["tools"]["memcheck"]["ended"], 3)

    def test_reports_of_an_exception_do_not_hide_those_of_other_kernels(self):
        known = self.folder / "exceptions.json"
        entry = {"name": "n", "tool": "memcheck", "kernel": "ablate::made::end", "cases": "floods", "report": "Uninitialized",
                 "reason": "", "where": "", "mutant": ""}
        known.write_text(json.dumps({"exceptions": [entry], "poisoned": [], "not_run": []}))
        code, result, _ = self.sanitize(["floods"], "--exceptions", str(known))
        self.assertEqual(code, 1)
        self.assertEqual({f["kernel"]: f["exception"] for f in result["findings"]},
                         {"ablate::made::end": "n", "ablate::made::run": None})

    def test_cases_whose_writes_initcheck_does_not_see_run_on_poison(self):
        known = self.folder / "exceptions.json"
        entry = {"name": "n", "cases": "^made/b_", "reason": "", "where": "", "mutant": ""}
        known.write_text(json.dumps({"exceptions": [], "poisoned": [entry], "not_run": []}))
        code, result, table = self.sanitize(["a", "b_unseen"], "--exceptions", str(known), tools="initcheck")
        self.assertEqual((code, result["poisoned"]), (0, {"n": 1}))
        self.assertIn("`n`, 1 cases.", table)
        self.assertEqual(self.sanitize(["a", "unseen"], "--exceptions", str(known), tools="initcheck")[0], 1)
        self.assertEqual(self.sanitize(["b_unseen"], "--exceptions", str(known), tools="memcheck")[0], 1)

    def test_cases_that_a_tool_fails_on_are_left_out_of_that_tool_alone(self):
        known = self.folder / "exceptions.json"
        entry = {"name": "n", "tool": "memcheck", "cases": "^made/b", "reason": "it ends with an error"}
        known.write_text(json.dumps({"exceptions": [], "poisoned": [], "not_run": [entry]}))
        code, result, _ = self.sanitize(["a", "b_faulty"], "--exceptions", str(known))
        self.assertEqual((code, result["tools"]["memcheck"]["ended"], result["tools"]["memcheck"]["not_needed"]), (0, 1, 1))
        self.assertEqual(self.sanitize(["a", "b_faulty"], "--exceptions", str(known), tools="synccheck")[0], 1)

    def test_an_exception_is_for_its_cases(self):
        known = self.folder / "exceptions.json"
        entry = {"name": "n", "tool": "memcheck", "kernel": "ablate::made::end", "cases": "^made/b", "report": "Invalid",
                 "reason": "", "where": "", "mutant": ""}
        known.write_text(json.dumps({"exceptions": [entry], "poisoned": [], "not_run": []}))
        self.assertEqual(self.sanitize(["faulty"], "--exceptions", str(known))[0], 1)
        self.assertEqual(self.sanitize(["b_faulty"], "--exceptions", str(known))[0], 0)

    def test_a_wrong_output_and_a_missing_summary_are_no_clean_run(self):
        code, result, _ = self.sanitize(["differs"])
        self.assertEqual((code, result["tools"]["memcheck"]["not_ok"]["made/differs/n=1/@cold-clean"]["reason"]), (1, "place 3"))
        code, result, _ = self.sanitize(["silent"])
        self.assertEqual(code, 1)
        self.assertIn("without the tool's summary", result["tools"]["memcheck"]["not_ok"]["made/silent/n=1/@cold-clean"]["reason"])


if __name__ == "__main__":
    unittest.main()
