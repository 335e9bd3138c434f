#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/gate/folder_lock.h"
#include "harness/gate/gate.h"
#include "harness/gate/launch_source.h"

namespace ablate::gate {

/// Both builds, ready to be launched, and what their checks said.
struct two_sides {
  std::unique_ptr<folder_lock> lock;  ///< of the folder that programs' launches are kept in
  std::unique_ptr<launch_source> baseline, candidate;
  std::vector<record> baseline_checks, candidate_checks;
  bool is_checked = false;  ///< else the first launches stand in for the checks
  double check_seconds = 0;

  bool are_recorded() const { return baseline->is_recorded(); }
  const record& first() const { return baseline_checks.front(); }
};

/// Programs or folders, and their first checks. Throws bad_input when one side is a program and the other a
/// folder (launches of different hours make no pairs), the sides differ in device, seed or suite, recorded
/// launches are of another suite than the request's or were not asked for alike, or another gate has the
/// folder for the launches.
two_sides open_sides(const gate_request&);

/// Checks these cases once more; those that the candidate's check lacks go to `unmatched`.
void check_again(two_sides&, const std::vector<std::string>& cases, bool baseline_too,
                 std::vector<unmatched_case>& unmatched);

/// The cases that both sides measured alike, controls last; the others go to `unmatched`, by kind.
std::vector<gated_case> matched_cases(const two_sides&, const gate_request&,
                                      std::vector<unmatched_case>& unmatched);

/// What tells one gate's journal from another's.
nlohmann::ordered_json identity_of(const two_sides&, const gate_request&);

}  // namespace ablate::gate
