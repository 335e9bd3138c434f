#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/ladder.h"
#include "reports/ablation/processes.h"

namespace ablate::reports {

/// A case of a ladder in a record, and the earlier one that it is compared with.
struct ladder_case_result {
  std::string label;   ///< with those of the steps before that were not measured: "one order + in a graph"
  std::string change;  ///< "host: published → graph"; empty where the ladder begins
  const measured_case* found = nullptr;  ///< null if it was not measured
  std::string missing;                   ///< why not
  const measured_case* before = nullptr;
  /// Of `found` over `before`; nothing without one of them, or if two clocks timed them.
  std::optional<effect> over;
};

struct ladder_step_result {
  ladder_case_result at;  ///< before: the last step that was measured
  bool skips = false;     ///< steps between it and the one before were not measured: several changes at once
  std::optional<ladder_case_result> control;  ///< before: the step's case
};

/// A suite's ladder with what a record says of its steps.
struct ladder_result {
  suite_ladder asked;
  std::vector<ladder_step_result> steps;
  std::optional<effect>
      whole;  ///< of the last measured step over the first; nothing if two clocks timed them
  bool is_of_one_clock = true;  ///< all its cases

  /// Steps and controls, in order.
  std::vector<const ladder_case_result*> cases() const;
};

/// Nothing if the record has no case of the ladder. Refers to the record.
std::optional<ladder_result> ladder_result_of(const record&, const suite_ladder&, const process_launches&);

}  // namespace ablate::reports
