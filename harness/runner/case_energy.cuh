#pragma once

#include <optional>
#include <string>

#include "base/record/record.h"
#include "harness/runner/cuda_case.cuh"
#include "harness/runner/output_check.h"

namespace ablate {

/// Meters what launches of a case cost in joules, by NVML's counter of all energy that the board has taken.
class case_energy {
 public:
  /// If it is requested, waits for a second or two to meter the idle device.
  case_energy(const cuda_device&, bool is_requested);

  /// Adds `energy` to the facts of a case that requests it, or the reason why there is none. Batches (hot,
  /// rotating) are launched as they are timed. Elsewhere a loop of reset, work ahead, L2 flush and launch is
  /// metered, and one without the launch. Throws wrong_output if the outputs are wrong afterwards.
  void add(cuda_case&, output_check&, measured_case& facts) const;

 private:
  std::optional<double> idle_w_;
  std::string why_not_;
};

}  // namespace ablate
