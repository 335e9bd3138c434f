#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/gate/decide.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/gate/unmatched.h"
#include "reports/record/record.h"

namespace ablate::compare {

/// In what two sides must agree, each of which may be allowed to differ.
enum class agreement {
  device,       ///< model, MIG, ECC, power cap
  specimen,     ///< this very GPU, by UUID
  seed,         ///< of the inputs
  cache_state,  ///< of cases that are otherwise the same
  method,       ///< how the samples were taken: events, graph, …
  workload,     ///< the input's hash
  environment   ///< the run as a whole: cases that all move one way, calibrations that change
};

/// device, specimen, seed, cache-state, method, workload, environment.
std::string_view name_of(agreement);
const std::vector<std::string>& agreement_names();
/// Throws bad_input, with the nearest name, for a word that is none.
agreement agreement_named(const std::string&);

/// A case that both sides measured. Of the baseline where the sides were allowed to differ.
struct compared_case {
  gate::case_decision decision;  ///< `pairs` is the number of launches of the side that has fewer
  std::string candidate_name;
  std::size_t baseline_values, candidate_values;  ///< samples of one launch, or medians of launches
};

struct record_comparison {
  std::vector<record> baseline, candidate;
  std::string policy;
  bool one_launch;                   ///< a side: samples were compared; otherwise medians of launches
  std::vector<compared_case> cases;  ///< the largest slow-down first
  std::vector<gate::unmatched_case> unmatched;  ///< not measured by every launch of both sides; by kind
  std::vector<std::string> notes;               ///< what else differs, a line each
  std::optional<std::string> invalid_run;
  std::size_t wrong = 0, failed = 0;  ///< cases of the candidate
};

/// Compares records of two builds case by case. One record a side: Hodges-Lehmann over the samples of both,
/// with an interval that knows the noise within a launch only. Several a side: over the medians of launches.
/// A case's noise floor, where there are floors, raises its delta. Throws bad_input when nothing is to be
/// compared, when records of one side are not of one build, when the sides differ in what is not allowed, or
/// when the floors are of another device.
record_comparison compare_records(std::vector<record> baseline, std::vector<record> candidate,
                                  const gate::gate_policy&, const std::set<agreement>& allowed,
                                  const gate::noise_floors* floors = nullptr);

/// As the gate's: 3 wrong results, 4 an invalid run, 1 a case is SLOWER, 75 a case failed, 4 no case was
/// judged or, if strict, one is INCONCLUSIVE or missing.
int exit_code_of(const record_comparison&, bool strict);

}  // namespace ablate::compare
