#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// How a gate decides (suites/gates/schema.json). The file states every number; there are no defaults, so the
/// policy alone tells what a gate did. Percentages are relative to the baseline.
struct gate_policy {
  struct launch_rules {
    std::size_t samples;  ///< per case in one process launch; their median counts
  };
  struct environment_rules {
    double sm_clock_tolerance_pct;  ///< between the launches of a pair
    std::size_t repeats;            ///< of a broken pair, before the case is INVALID
    std::vector<std::string> refused_event_reasons;
  };
  struct screen_rules {
    std::size_t pairs;
    double flag_share_of_delta;  ///< a case is flagged when its estimate exceeds this fraction of delta
  };
  struct confirm_rules {
    double wait_seconds;  ///< between screening and confirming
    std::size_t pairs;
    std::size_t extra_pairs;      ///< taken once for an inconclusive case
    double level;                 ///< of the one-sided rank-sum test, Holm-adjusted over flagged cases
    double bound_share_of_delta;  ///< fraction of delta that the test must exclude
    double interval_confidence;   ///< of the intervals shown
  };
  struct delta_rules {
    double minimum_pct;
    bool dedicated_gpu;  ///< nobody else uses the GPU: the next two apply
    double dedicated_minimum_pct;
    double dedicated_above_us;  ///< for cases whose baseline takes longer
    double too_noisy_pct;       ///< a case with a higher A/A floor is reported but cannot fail
  };
  struct calibration_rules {
    std::size_t builds;  ///< of one source, linked in different orders: their code is at different addresses
    std::size_t runs;    ///< A/A runs, each of two of the builds
    std::size_t pairs;   ///< of launches in each
    double quantile;     ///< the floor is at least this quantile of the effects found
    double
        alarm_share;  ///< of gates on identical code that may have a false alarm by their builds' placement
  };
  /// What a gate without a regression must have done to pass.
  struct pass_rules {
    double minimum_judged_share;  ///< of the cases that both sides should have measured
    int otherwise_exit_code;      ///< 4, or 1: of a gate that left something open and found nothing SLOWER
  };
  struct counter_rule {
    std::string counter;   ///< its CUPTI name
    double tolerance_pct;  ///< how far it may rise
    double slack;  ///< in the counter's own unit: a change up to this does not count, whatever its percentage
  };
  struct whole_run_rules {
    double share;      ///< of all cases moving the same way …
    double shift_pct;  ///< … by more than this: the environment is suspected
    std::size_t minimum_cases;
    std::size_t same_sign_runs;         ///< or if the findings of this many runs in a row all have one sign
    std::vector<std::string> controls;  ///< calibrations, by their ceilings; no code change affects them
  };
  struct history_rules {
    double level;               ///< of the permutation test for change points
    double minimum_change_pct;  ///< smaller changes are not reported
  };
  struct compare_rules {
    double interval_confidence;
    double one_launch_delta_pct;  ///< delta where a side has a single launch, whose own noise is unknown
    double one_launch_short_delta_pct;  ///< the same for short cases
    double short_below_us;
    double minimum_judged_share;  ///< as in `pass`: single launches leave more cases open
  };

  std::string name, description;
  launch_rules launch;
  environment_rules environment;
  screen_rules screen;
  confirm_rules confirm;
  delta_rules delta;
  calibration_rules calibration;
  pass_rules pass;
  std::vector<counter_rule> counters;
  whole_run_rules whole_run;
  history_rules history;
  compare_rules compare;
  double time_budget_seconds;
};

/// Throws bad_input naming the file, the place and what was expected: an unknown or missing key, a number out
/// of range, too few pairs for any case to be found slower at the level.
gate_policy read_policy(const std::filesystem::path&);

}  // namespace ablate::gate
