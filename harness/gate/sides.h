#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/gate/folder_lock.h"
#include "harness/gate/gate.h"
#include "harness/gate/launch_source.h"

namespace ablate::gate {

/// Both builds, ready to launch, and the results of their checks.
struct two_sides {
  std::unique_ptr<folder_lock> lock;  ///< on the folder with the programs' launches
  std::unique_ptr<launch_source> baseline, candidate;
  std::vector<record> baseline_checks, candidate_checks;
  bool is_checked = false;  ///< otherwise the first launches replace the checks
  double check_seconds = 0;

  bool are_recorded() const { return baseline->is_recorded(); }
  const record& first() const { return baseline_checks.front(); }
};

/// Opens the programs or folders and runs their first checks. Throws bad_input if one side is a program and
/// the other a folder (launches made hours apart do not form pairs), if the sides differ in device, seed or
/// suite, if recorded launches used another suite than the request or different options, or if another gate
/// holds the folder for the launches.
two_sides open_sides(const gate_request&);

/// One build more, checked; its launches go to `folder` of the request's. It must agree with the sides as
/// they do with each other. Throws as open_sides does.
struct further_build {
  std::unique_ptr<launch_source> launches;
  std::vector<record> checks;
};
further_build open_further(const two_sides&, const gate_request&, const std::filesystem::path& build,
                           const std::string& folder);

/// Checks these cases again; those missing from the candidate's check go to `unmatched`.
void check_again(two_sides&, const std::vector<std::string>& cases, bool baseline_too,
                 std::vector<unmatched_case>& unmatched);

/// Checks these cases once more on both sides, the `round`th time, whatever comes of it; false if recorded
/// launches have no such checks.
bool read_again(two_sides&, const std::vector<std::string>& cases, int round);

/// The cases that both sides measured the same way, controls last; the others go to `unmatched`, by kind.
std::vector<gated_case> matched_cases(const two_sides&, const gate_request&,
                                      std::vector<unmatched_case>& unmatched);

/// What distinguishes one gate's journal from another's.
nlohmann::ordered_json identity_of(const two_sides&, const gate_request&);

}  // namespace ablate::gate
