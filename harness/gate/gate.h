#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/gate/counter_gate.h"
#include "reports/gate/accepted.h"
#include "reports/gate/affected.h"
#include "reports/gate/decide.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/gate/unmatched.h"

namespace ablate::gate {

/// The request for a gate or a calibration.
struct gate_request {
  std::filesystem::path baseline, candidate;  ///< programs, or folders with records of their launches
  std::filesystem::path suite;
  gate_policy policy;
  std::string suite_hash, policy_hash;            ///< hashes of the files' bytes
  std::optional<std::filesystem::path> floors;    ///< from a calibration
  std::vector<accepted_change> accepted;          ///< of cases
  std::filesystem::path out;                      ///< journal and records of the programs' launches
  std::optional<std::filesystem::path> findings;  ///< JSON Lines: findings of this gate and earlier ones
  std::string filter, device, seed;               ///< as for `run`; empty: not given
  std::vector<std::string> data;
  std::string inject_delay, inject_into;  ///< into the candidate's launches
  /// Nothing: all cases of the suite. Else those that the change affects and the controls beside them.
  std::optional<affected> changed;
  double budget_seconds = 0;
  bool resume = false, counters = true;
};

/// What a gate found.
struct gate_outcome {
  std::optional<record> baseline, candidate;  ///< from the checks, or from any launch
  bool is_checked = false;                    ///< the candidate's outputs were compared
  gate_decision decision;
  std::map<std::string, std::string> wrong, failed;  ///< by case, why
  std::vector<unmatched_case> unmatched;             ///< by kind
  counter_comparison counters;
  std::optional<noise_floors> floors;
  std::vector<std::string> notes;  ///< one line each
  std::size_t pairs_launched = 0, broken = 0;
  double seconds = 0;
  /// Mann-Whitney p-values of single launch pairs, by case.
  std::map<std::string, std::vector<double>> single_launch_p;
  std::optional<std::string> why_nothing;   ///< why there was nothing to judge
  std::optional<std::string> why_passed;    ///< why it passes without a launch: nothing that runs changed
  std::optional<std::string> refusal;       ///< what was wrong with the gate's input
  std::optional<std::string> tool_failure;  ///< why the gate did not finish
};

/// Checks correctness, screens, confirms and extends with alternated launches, then checks correctness again
/// and compares counters. Judges host references only if the requested device is the host. Throws bad_input
/// and interrupted; any other failure, of a program or of the gate itself, is reported in the outcome.
gate_outcome run_gate(const gate_request&);

/// The outcome of a gate that did nothing because its input was bad.
gate_outcome refused_gate(const std::string& why);

/// The entry that accepts a `change_pct` worsening of this quantity in this case; null if none does.
const accepted_change* acceptance(const gate_request&, const std::string& name, const std::string& quantity,
                                  double change_pct);

/// Why none of the requested counters was compared; nothing if some were.
std::optional<std::string> why_counters_are_missing(const gate_outcome&, const gate_request&);

/// The entry that accepts that the case is slower, or looks so; null if none does.
const accepted_change* acceptance(const gate_request&, const case_decision&);
/// The entry that accepts that the case is gone, or another case now; null if none does.
const accepted_change* acceptance(const gate_request&, const unmatched_case&);

/// What else fails under --strict: cases missing on one side, unchecked outputs, and counters that should
/// have been compared but were not.
std::size_t missing_comparisons(const gate_outcome&, const gate_request&);

/// Why a gate that found nothing worse has not passed; nothing if only --strict could tell. Accepted changes
/// do not count.
std::optional<std::string> why_open(const gate_outcome&, const gate_request&);

/// 2 for bad input; 75 if the tool failed; 3 if a result is wrong; 1 if a counter got worse; otherwise the
/// decision's exit code. Accepted changes do not count.
int exit_code_of(const gate_outcome&, const gate_request&, bool strict);

}  // namespace ablate::gate
