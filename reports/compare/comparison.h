#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "base/text/bad_input.h"
#include "reports/gate/decide.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/gate/unmatched.h"

namespace ablate::compare {

/// Properties in which two sides must agree; each may be allowed to differ.
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
/// Throws bad_input, with the nearest name, for an unknown word.
agreement agreement_named(const std::string&);

/// Two sides that differ in something that is not allowed.
struct unlike_records : bad_input {
  unlike_records(const std::string& file, std::string what_differs, const std::string& what_differs_by_flag)
      : bad_input(file, "", "expected a record like the baseline's, but " + what_differs_by_flag),
        differences(std::move(what_differs)) {}

  std::string differences;  ///< without the file, and the flags that would allow them
};

/// A case that both sides measured. Named as in the baseline if the sides were allowed to differ.
struct compared_case {
  gate::case_decision decision;  ///< `pairs` is the smaller number of launches of the two sides
  std::string candidate_name;
  std::size_t baseline_values, candidate_values;  ///< samples of a single launch, or medians of launches
  std::string input_mark = {};                    ///< of its input (input_marks.h)
};

struct record_comparison {
  std::vector<record> baseline, candidate;
  std::string policy;
  gate::gate_policy::pass_rules pass;
  bool one_launch;                   ///< on a side: samples were compared; otherwise medians of launches
  std::vector<compared_case> cases;  ///< the largest slow-down first
  std::vector<gate::unmatched_case> unmatched;  ///< not measured by every launch of both sides; by kind
  std::vector<std::string> notes;               ///< what else differs, one per line
  std::optional<std::string> invalid_run;
  std::size_t wrong = 0, failed = 0;  ///< cases of the candidate
};

/// Compares records of two builds case by case. With one record per side: Hodges-Lehmann over the samples of
/// both, with an interval that covers only the noise within a launch. With several per side: over the medians
/// of launches. A case's noise floor, if there is one, raises its delta. Throws unlike_records if the sides
/// differ in something not allowed, bad_input if there is nothing to compare, if the records of a side are
/// not of one build, or if the floors are of another device.
record_comparison compare_records(std::vector<record> baseline, std::vector<record> candidate,
                                  const gate::gate_policy&, const std::set<agreement>& allowed,
                                  const gate::noise_floors* floors = nullptr);

/// Why a comparison that found nothing SLOWER may yet hide a slow-down, in one line; nothing if it does not,
/// or if something worse is to be told.
std::optional<std::string> why_open(const record_comparison&);

/// Like the gate's: 3 wrong results, 4 an invalid run, 1 a case is SLOWER, 75 a case failed, 4 no case was
/// judged, the policy's code where something is open, 4, if strict, one is INCONCLUSIVE or missing.
int exit_code_of(const record_comparison&, bool strict);

}  // namespace ablate::compare
