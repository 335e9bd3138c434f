"""A ReFrame check that runs a suite on the GPUs of one node and judges its record:

    reframe -c reframe_ablate.py -r -S ablate_suite.suite=$PWD/suites/quick.json --performance-report

It fails where a case is wrong or failed, where nothing was measured, and where `ablate dev verify` finds that the record cannot be true.
Each operation's best speed-up over its baseline becomes a performance variable, for `reference` and for ReFrame's log. ablate_record.py
(reports/python) must be importable, and `ablate` on PATH. A suite in shards over several nodes is Slurm's: `ablate dev submit`.
"""
import os

import ablate_record
import reframe as rfm
import reframe.utility.sanity as sn

BAD = ("wrong", "failed", "timeout", "out_of_memory", "interrupted")


def faults_of(record):
    """What speaks against a record, a line each; input_missing and not_applicable do not."""
    lines = [f"{u.name}: {u.status}: {u.reason}" for u in record.unmeasured if u.status in BAD]
    return lines if record.cases else lines + ["no case was measured"]


def best_speed_ups(record):
    """Operation -> the greatest ratio over its baseline, on any workload."""
    out = {}
    for operation in record.operations:
        ratios = [up.ratio for up in record.speed_ups(operation)]
        if ratios:
            out[operation] = max(ratios)
    return out


@rfm.simple_test
class ablate_suite(rfm.RunOnlyRegressionTest):
    suite = variable(str, value="suites/quick.json")
    devices = variable(str, value="all")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "ablate"
    exclusive_access = True
    num_tasks = 1

    @run_before("run")
    def set_command(self):
        self.executable_opts = ["run", self.suite, "--devices", self.devices, "--out", "out"]
        self.postrun_cmds = ["ablate dev verify out && echo RECORD-HOLDS"]

    def record(self):
        return ablate_record.load(os.path.join(self.stagedir, "out"))

    @sanity_function
    def is_right_and_true(self):
        faults = faults_of(self.record())
        return sn.all([sn.assert_false(faults, msg="; ".join(faults[:3])), sn.assert_found(r"^RECORD-HOLDS$", self.stdout)])

    @run_before("performance")
    def set_perf_variables(self):
        self.perf_variables = {f"{operation}_speed_up": sn.make_performance_function(lambda r=ratio: r, "x")
                               for operation, ratio in best_speed_ups(self.record()).items()}
