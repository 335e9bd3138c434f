#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "harness/runner/executor.h"
#include "harness/runner/journal.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What the supervisor sees of its worker, in memory that both share.
struct worker_progress {
  std::atomic<long> case_index = -1;      ///< of the case that is running, −1 before the first
  std::atomic<long long> started_ns = 0;  ///< steady clock, when that case began
  static_assert(std::atomic<long>::is_always_lock_free && std::atomic<long long>::is_always_lock_free,
                "a lock would not be shared between processes");
};

/// A case and the key under which the journal has it.
struct keyed_case {
  suite_case is;
  std::string key;
  std::size_t number = 0;  ///< in the whole suite, for the progress line
};

/// The exit code with which a worker asks for a fresh process: the device is lost to this one.
constexpr int exit_device_lost = 86;

using make_executor_function = std::function<std::unique_ptr<executor>()>;

/// The entry of a case that was not measured.
nlohmann::ordered_json unmeasured_entry(const suite_case&, std::string_view status,
                                        const std::string& reason);

/// Runs these cases one after the other, each a Google Benchmark benchmark of one iteration, and journals
/// each as it ends. Returns an exit code: 0, or exit_device_lost. `total` is the number of cases of the
/// suite.
int run_cases(const std::vector<keyed_case>&, std::size_t total, const suite&, const input_library&,
              const make_executor_function&, const nlohmann::ordered_json& context, journal&,
              worker_progress&);

}  // namespace ablate
