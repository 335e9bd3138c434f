#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/gate/delta.h"
#include "reports/gate/policy.h"
#include "reports/gate/shift.h"
#include "reports/gate/verdict.h"

namespace ablate::gate {

/// One observation of a case: the medians of two back-to-back launches.
struct paired_time {
  double baseline_us, candidate_us;
  bool baseline_first = true;
};

/// Their log ratios, by the order of the launches.
ordered_pairs log_ratios(const std::vector<paired_time>&);

struct gated_case {
  std::string name;
  std::optional<double> floor_pct;  ///< from A/A calibration
  bool is_control = false;          ///< a kernel that the change cannot touch
};

/// All pairs of one case from one phase.
struct taken_pairs {
  std::vector<paired_time> pairs;
  /// Why there are no more: pairs stayed broken after all repeats, or the time budget ran out.
  std::string unfit, cut_short;
};

enum class phase { screen, confirm, extend };

/// Source of pairs: processes, a file, random numbers. Called once to screen all cases, then at most once
/// each to confirm and to extend some of them and every control. Returns one element per entry of `cases`
/// (indices into the list given to decide()), with up to `pairs` pairs each.
using take_pairs =
    std::function<std::vector<taken_pairs>(phase, const std::vector<std::size_t>& cases, std::size_t pairs)>;

/// What the first pairs say about a case.
struct screening {
  std::size_t pairs;
  shift ratio;  ///< of logarithms
  bool flagged;
};

struct case_decision {
  std::string name;
  bool is_control;
  verdict word;
  std::string reason;  ///< one line; empty where the verdict needs none
  effect_limit limit;
  double baseline_us;  ///< median of the deciding pairs; 0 if there are none
  double candidate_us;
  std::size_t pairs;        ///< number of deciding pairs
  shift ratio;              ///< of logarithms, from the deciding pairs
  std::optional<double> p;  ///< of the confirmed direction, Holm-adjusted
  std::optional<screening> screened;

  /// It looked slower, and what followed did not tell whether it is.
  bool is_suspect() const;

  /// Neither a control nor a case that is too noisy can fail the gate.
  bool can_fail() const { return !is_control && !limit.too_noisy; }
};

struct gate_decision {
  std::vector<case_decision> cases;        ///< in the order given
  std::optional<std::string> invalid_run;  ///< why all findings may come from the environment
  std::size_t flagged = 0;
};

/// The gate, from the first pair to the verdicts: screens all cases, confirms the flagged ones with fresh
/// pairs, takes more pairs once where that is inconclusive, and checks the run as a whole. Pure except for
/// `take`. A case with times that are not positive numbers is INVALID.
gate_decision decide(const std::vector<gated_case>&, const gate_policy&, const take_pairs& take);

/// Why the effects (log ratios) of different cases may come from the environment: there are enough of them,
/// and most move the same way.
std::optional<std::string> why_all_moved(const std::vector<double>& effects, const gate_policy&);

/// Why the whole run is suspect: most cases moved the same way in screening, each beyond its own interval, or
/// a control changed.
std::optional<std::string> why_run_is_invalid(const std::vector<case_decision>&, const gate_policy&);

/// Why findings are suspect: those of the newest runs all have one sign. `runs` holds the runs that found
/// something, newest last: the log ratios of the cases that were SLOWER or FASTER.
std::optional<std::string> why_findings_are_suspect(const std::vector<std::vector<double>>& runs,
                                                    const gate_policy&);

}  // namespace ablate::gate
