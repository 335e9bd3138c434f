#pragma once

#include <string>
#include <vector>

#include "reports/gate/accepted.h"
#include "reports/gate/outputs.h"
#include "reports/gate/static_facts.h"

namespace ablate::gate {

struct static_gate_options {
  double instruction_tolerance = 0.05;  ///< share by which counts with a tolerance may move
  bool strict = false;       ///< what vanished fails, and an inconclusive comparison leaves exit code 4
  bool notes_unused = true;  ///< accepted changes that nothing needed are told
  std::string today;         ///< "2026-12-31": which accepted changes still hold
  std::string command;       ///< that compares again; " --filter NAME" is appended for each finding
};

/// Compares a candidate's static facts with a baseline's, kernel by kernel. A change for the worse fails
/// unless it is accepted; kernels, architectures and launches that are new or vanished are noted (what
/// vanished fails under strict). SASS is compared where both sides counted it; under strict the
/// candidate must where the baseline did. What
/// another CUDA compiler made is not comparable: every change is then inconclusive, and so is the verdict.
/// Exit code: 0, 1 for a failure, 4 for an inconclusive verdict under strict, and where no kernel has machine
/// code on both sides.
gate_report compare_static_facts(const static_facts_file& baseline, const static_facts_file& candidate,
                                 const std::vector<accepted_change>&, const static_gate_options&);

/// A demangled kernel's name without return type, parameters and the namespace that all have:
/// "voxelize::direct<int>".
std::string kernel_label(const std::string& demangled);

}  // namespace ablate::gate
