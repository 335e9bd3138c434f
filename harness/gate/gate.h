#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/counter_gate.h"
#include "reports/gate/accepted.h"
#include "reports/gate/decide.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/gate/unmatched.h"
#include "reports/record/record.h"

namespace ablate::gate {

/// What a gate, or a calibration, is asked for.
struct gate_request {
  std::filesystem::path baseline, candidate;  ///< programs, or folders of records of their launches
  std::filesystem::path suite;
  gate_policy policy;
  std::string suite_hash, policy_hash;            ///< of the files' bytes
  std::optional<std::filesystem::path> floors;    ///< from a calibration
  std::vector<accepted_change> accepted;          ///< of cases
  std::filesystem::path out;                      ///< journal and records of programs' launches
  std::optional<std::filesystem::path> findings;  ///< JSON Lines: what this gate and earlier ones found
  std::string filter, device, seed;               ///< as `run` takes them; empty: not given
  std::vector<std::string> data;
  std::string inject_delay, inject_into;  ///< into the candidate's launches
  double budget_seconds = 0;
  bool resume = false, counters = true;
};

/// What a gate found.
struct gate_outcome {
  std::optional<record> baseline, candidate;  ///< of the checks, or of any launch
  bool is_checked = false;                    ///< the candidate's outputs were compared
  gate_decision decision;
  std::map<std::string, std::string> wrong, failed;  ///< by case, why
  std::vector<unmatched_case> unmatched;             ///< by kind
  counter_comparison counters;
  std::optional<noise_floors> floors;
  std::vector<std::string> notes;  ///< a line each
  std::size_t pairs_launched = 0, broken = 0;
  double seconds = 0;
  /// By case the p-values that the Mann-Whitney test has for single pairs of launches.
  std::map<std::string, std::vector<double>> single_launch_p;
  std::optional<std::string> why_nothing;   ///< why there was nothing to judge
  std::optional<std::string> refusal;       ///< what was wrong with what the gate was given
  std::optional<std::string> tool_failure;  ///< why the gate did not get to its end
};

/// Correctness first, then screening, confirming and extending by alternated launches, correctness again,
/// counters. Host references are judged only where the device asked for is the host. Throws bad_input, and
/// interrupted; whatever else fails, a program or the gate itself, is told in the outcome.
gate_outcome run_gate(const gate_request&);

/// Of a gate that was given bad input, and so did nothing.
gate_outcome refused_gate(const std::string& why);

/// What accepts a finding of this case and quantity, which is `change_pct` for the worse; null where nothing
/// does.
const accepted_change* acceptance(const gate_request&, const std::string& name, const std::string& quantity,
                                  double change_pct);

/// Why not one of the counters that were asked for was compared; nothing where some were.
std::optional<std::string> why_counters_are_missing(const gate_outcome&, const gate_request&);

/// What else fails under --strict: cases that are missing on a side, outputs that nobody compared, counters
/// that should have been compared and were not.
std::size_t missing_comparisons(const gate_outcome&, const gate_request&);

/// 2 where the input was bad; 75 where the tool failed; 3 where a result is wrong; 1 where a counter got
/// worse; otherwise as for the decision. Accepted changes do not count.
int exit_code_of(const gate_outcome&, const gate_request&, bool strict);

}  // namespace ablate::gate
