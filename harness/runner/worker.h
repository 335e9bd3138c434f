#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/executor.h"
#include "harness/runner/journal.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What the supervisor sees of its worker, in memory shared by both.
struct worker_progress {
  std::atomic<long> case_index = -1;      ///< of the running case, −1 before the first
  std::atomic<long long> started_ns = 0;  ///< start of that case, steady clock
  static_assert(std::atomic<long>::is_always_lock_free && std::atomic<long long>::is_always_lock_free,
                "a lock would not be shared between processes");
};

/// A case and its journal key.
struct keyed_case {
  suite_case is;
  std::string key;
  std::size_t bundle = 0;      ///< the cases with which it must share a device (reports/record/bundles.h)
  std::size_t number = 0;      ///< within the whole suite, for the progress line
  double planned_seconds = 0;  ///< for the progress line (harness/suite/estimate.h)
};

/// The exit code by which a worker requests a fresh process because it has lost the device.
constexpr int exit_device_lost = 86;

using make_executor_function = std::function<std::unique_ptr<executor>()>;

/// The entry for a case that was not measured.
nlohmann::ordered_json unmeasured_entry(const suite_case&, std::string_view status,
                                        const std::string& reason);

/// What all processes of a run have in common.
struct run_facts {
  std::string specimen;                ///< run_identity.h
  std::set<std::string> counter_sets;  ///< of all the plan's cases
};

/// Runs these cases one by one, each as a Google Benchmark benchmark of one iteration, and journals each as
/// it ends. Returns an exit code: 0, or exit_device_lost. `total` is the number of cases of the run.
int run_cases(const std::vector<keyed_case>&, std::size_t total, const suite&, const input_library&,
              const make_executor_function&, const nlohmann::ordered_json& context, const run_facts&,
              journal&, worker_progress&);

}  // namespace ablate
