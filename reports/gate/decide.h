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

/// One observation of a case: the medians of two launches that followed each other.
struct paired_time {
  double baseline_us, candidate_us;
};

struct gated_case {
  std::string name;
  std::optional<double> floor_pct;  ///< from A/A calibration
  bool is_control = false;          ///< a kernel that the change cannot touch
};

/// All pairs of one case from one phase.
struct taken_pairs {
  std::vector<paired_time> pairs;
  /// Why there are no more: pairs stayed broken after all repeats, or the budget of time is spent.
  std::string unfit, cut_short;
};

enum class phase { screen, confirm, extend };

/// Where pairs come from: processes, a file, random numbers. Called for the screening of all cases, then at
/// most once each for confirming and extending some of them and every control. Returns an element for each
/// of the `cases` (places in the list given to decide()), with up to `pairs` pairs.
using take_pairs =
    std::function<std::vector<taken_pairs>(phase, const std::vector<std::size_t>& cases, std::size_t pairs)>;

/// What the first pairs say of a case.
struct screening {
  std::size_t pairs;
  shift ratio;  ///< of logarithms
  bool flagged;
};

struct case_decision {
  std::string name;
  bool is_control;
  verdict word;
  std::string reason;  ///< one line; empty where the word says it all
  effect_limit limit;
  double baseline_us;  ///< median of the deciding pairs; 0 where there is none
  double candidate_us;
  std::size_t pairs;        ///< that decided
  shift ratio;              ///< of logarithms, from the deciding pairs
  std::optional<double> p;  ///< of the confirmed direction, Holm-adjusted
  std::optional<screening> screened;

  /// Neither a control nor a case that is too noisy makes the gate fail.
  bool can_fail() const { return !is_control && !limit.too_noisy; }
};

struct gate_decision {
  std::vector<case_decision> cases;        ///< in the order given
  std::optional<std::string> invalid_run;  ///< why the environment is suspected of all findings
  std::size_t flagged = 0;
};

/// The gate, from the first pair to the verdicts: screening of all cases, confirmation of the flagged with
/// pairs of their own, more pairs once where that is inconclusive, and the check of the whole run. Pure but
/// for `take`. Times that are not positive numbers make a case INVALID.
gate_decision decide(const std::vector<gated_case>&, const gate_policy&, const take_pairs& take);

/// Why effects (logarithms of ratios) of different cases are suspected to be the environment's: enough of
/// them, and most move the same way.
std::optional<std::string> why_all_moved(const std::vector<double>& effects, const gate_policy&);

/// Why the whole run is suspected: most cases moved the same way in screening, or a control changed.
std::optional<std::string> why_run_is_invalid(const std::vector<case_decision>&, const gate_policy&);

/// Why findings are suspected: those of the newest runs all have one sign. `runs` are the runs that found
/// something, the newest last: the ratios' logarithms of cases that were SLOWER or FASTER.
std::optional<std::string> why_findings_are_suspect(const std::vector<std::vector<double>>& runs,
                                                    const gate_policy&);

}  // namespace ablate::gate
