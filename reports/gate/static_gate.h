#pragma once

#include <string>
#include <vector>

#include "reports/gate/accepted.h"
#include "reports/gate/outputs.h"
#include "reports/gate/static_facts.h"

namespace ablate::gate {

struct static_gate_options {
  double instruction_tolerance = 0.05;  ///< relative change allowed for counts with a tolerance
  bool strict = false;                  ///< what vanished fails, and all of the baseline must be compared
  bool notes_unused = true;             ///< report accepted changes that nothing needed
  std::string today;                    ///< "2026-12-31": decides which accepted changes still hold
  std::string command;  ///< repeats the comparison; " --filter NAME" is appended for each finding
};

/// Compares a candidate's static facts with a baseline's, kernel by kernel. A regression fails unless it is
/// accepted. New kernels, architectures and launches are noted; a vanished one leaves the verdict
/// inconclusive, and is a failure under strict. SASS is compared where both sides counted it; under strict
/// the candidate must if the baseline did. Different CUDA compilers are not comparable: every change is then
/// inconclusive, and so is the verdict. Exit code: 0, 1 for a failure, 4 for an inconclusive verdict, as
/// where no kernel has machine code on both sides.
gate_report compare_static_facts(const static_facts_file& baseline, const static_facts_file& candidate,
                                 const std::vector<accepted_change>&, const static_gate_options&);

/// A demangled kernel name without return type, parameters and the namespace common to all:
/// "voxelize::direct<int>".
std::string kernel_label(const std::string& demangled);

}  // namespace ablate::gate
