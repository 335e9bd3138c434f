#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "harness/runner/device_turns.h"
#include "harness/runner/executor.h"
#include "harness/runner/journal.h"
#include "harness/runner/progress.h"
#include "harness/runner/worker_place.h"
#include "harness/runner/workload_cache.h"

namespace ablate {

/// Measures cases on one device, each as a Google Benchmark benchmark of one iteration, and journals each as
/// it ends.
class case_runner {
 public:
  case_runner(const run_facts&, const worker_place&, executor&, workload_cache&, journal&, phase_clock&);

  /// Measures the cases of these numbers, and the first baseline among them once more if they took long.
  /// False once the device is lost.
  bool run(const std::vector<std::size_t>& numbers);

 private:
  /// The median in seconds, or 0 for a case that was not measured.
  double run_one_of(std::size_t number);

  /// The first baseline of a long bundle, at its end: by how much it changed, the device has drifted.
  void time_baseline_again();

  bool take_turns() const { return place_.neighbors && place_.neighbors->take_turns; }
  /// Whether this case waits for the others' turns to end: all do where devices disturb each other, and what
  /// is timed by the host's clock always does, for its cores and its driver are everybody's.
  bool takes_turn(const suite_case&) const;
  /// Null where none are taken. The time of waiting is not the case's.
  std::unique_ptr<device_turns::turn> own_turn(const suite_case&);

  const run_facts& facts_;
  const worker_place& place_;
  executor& on_;
  workload_cache& workloads_;
  journal& out_;
  phase_clock& clock_;
  progress_line line_;
  /// A measured baseline, as it was journalled, and when.
  struct measured_baseline {
    std::size_t number;
    measured_case entry;
    long long ended_ns;
  };
  std::optional<measured_baseline> baseline_;  ///< the first of the cases told last
  bool lost_ = false;
  long long waited_ns_ = 0;
};

}  // namespace ablate
