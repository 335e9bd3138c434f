#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/counters/case_counters.h"
#include "harness/counters/counter_turns.h"
#include "harness/counters/range_profiler.h"

namespace ablate {

/// A case as the profiler needs it.
struct profiled_case {
  std::vector<std::string> kernels;  ///< demangled names, in launch order
  std::function<void()> prepare;     ///< restores the buffers, brings the caches to the case's state, waits
  std::function<void()> launch;      ///< launches the case once and waits
  /// Compares the last launch's output with the oracle and throws if it is wrong: a kernel must be correct
  /// under counters too. Takes the group that was read.
  std::function<void(const std::string&)> expect_right_output;
};

/// Collects the counters of cases; without access to them it says why and collects nothing. Where another
/// process has them, it waits for its turn (counter_turns.h).
class case_profiler {
 public:
  /// `device` is the CUDA ordinal; its context must be current. `silicon` determines which counters are
  /// listed as null if CUPTI cannot be queried.
  case_profiler(int device, std::string silicon);

  /// Why no counter can be read, or nothing.
  const std::optional<std::string>& why_not() const { return why_not_; }
  /// CUPTI's name for it, if CUPTI can be queried.
  const std::string& silicon() const { return silicon_; }

  /// Releases the counters to other users of this GPU until the next `collect`.
  void release() {
    if (profiler_) profiler_->release();
  }

  /// Called before a case: releases the counters if another process waits for them.
  void yield_counters() {
    if (turns_.are_needed()) release();
  }

  /// A record's `counters` of a case. Throws whatever the case's functions throw.
  counter_readings collect(const std::string& set, const profiled_case&);

 private:
  void open(int device);
  group_reading read(const counter_group&, const profiled_case&, counting_cost&);
  void read_into(group_reading&, const counter_group&, const profiled_case&, counting_cost&);
  /// Calls `what`, again and again while the counters are busy and it is worth waiting.
  void in_turn(const std::function<void()>& what);
  void end_turn();

  std::string silicon_;
  std::unique_ptr<range_profiler> profiler_;
  std::optional<std::string> why_not_;
  counter_turns turns_;
};

}  // namespace ablate
