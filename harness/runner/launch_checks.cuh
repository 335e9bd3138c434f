#pragma once

#include <cstdint>
#include <vector>

#include "harness/runner/cuda_case.cuh"
#include "harness/runner/output_check.h"

namespace ablate {

/// Compares what a case's launches leave with what is right, from before the timing to after it. Whatever is
/// wrong throws wrong_output.
class launch_checks {
 public:
  /// Launches the oracle where a variant is it. `shared`: right outputs of the workload's cases, from one to
  /// the next.
  launch_checks(cuda_case&, right_outputs& shared);

  void launch_before_timing();
  /// Launches the instrumented form and gives what it counted; nothing without one.
  named_figures launch_instrumented();
  /// Launches once more, and compares the inputs with what they were at first. They are never filled again:
  /// what a launch changes there, later ones would find, such as rows that are sorted already.
  void launch_after_timing();

  output_check& outputs() { return outputs_; }

 private:
  void launch(const std::function<void(launcher&)>&, const char* when);

  cuda_case& case_;
  std::vector<std::uint64_t> inputs_before_;  ///< digests
  output_check outputs_;
};

}  // namespace ablate
