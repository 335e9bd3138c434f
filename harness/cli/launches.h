#pragma once

#include <functional>

#include "harness/cli/later_launch.h"

namespace ablate {

/// Runs a suite in as many launches as it requests (`suite::launches`), each in processes of its own and in
/// another order. The first is a run as any other. Later ones time only: no check, no counters, no
/// calibrations, and beyond the least number only the cases on which the question's verdicts are still
/// INCONCLUSIVE. They become `record-02.json`, … beside record.json, where reports find them. A resumed run
/// keeps the launches that ended. A shard and a gate's launch are launched once. `wait` goes before each
/// later launch: records of launches on one GPU are told apart by the second in which they began. Returns
/// what the first launch does, or the exit code of a later one that failed or was interrupted.
int run_launches(const suite&, const run_options&, const run_one_launch& = run_suite,
                 const std::function<void()>& wait = wait_for_another_second);

}  // namespace ablate
