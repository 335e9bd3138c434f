#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// How a gate decides (suites/gates/schema.json). A file says every number; there are no defaults, so that
/// what a gate did can be read off its policy alone. Percentages are of the baseline.
struct gate_policy {
  struct launch_rules {
    std::size_t samples;  ///< of a case in one process launch; their median counts
  };
  struct environment_rules {
    double sm_clock_tolerance_pct;  ///< between the launches of a pair
    std::size_t repeats;            ///< of a broken pair, before the case is INVALID
    std::vector<std::string> refused_event_reasons;
  };
  struct screen_rules {
    std::size_t pairs;
    double flag_share_of_delta;  ///< a case is flagged when its estimate is beyond this part of delta
  };
  struct confirm_rules {
    double wait_seconds;  ///< between screening and confirming
    std::size_t pairs;
    std::size_t extra_pairs;      ///< once, for a case that is inconclusive
    double level;                 ///< of the one-sided signed-rank test, Holm-adjusted over flagged cases
    double bound_share_of_delta;  ///< the part of delta that the test must exclude
    double interval_confidence;   ///< of the intervals that are shown
  };
  struct delta_rules {
    double minimum_pct;
    bool dedicated_gpu;  ///< nobody else uses the GPU: the next two hold
    double dedicated_minimum_pct;
    double dedicated_above_us;  ///< for cases whose baseline takes longer
    double too_noisy_pct;       ///< a case whose A/A floor is above is reported but cannot fail
  };
  struct calibration_rules {
    std::size_t runs;   ///< A/A runs of two separately linked builds
    std::size_t pairs;  ///< of launches in each
    double quantile;    ///< of the effects found: the floor
  };
  struct counter_rule {
    std::string counter;   ///< by CUPTI's name
    double tolerance_pct;  ///< by which it may rise
    double slack;          ///< in the counter's own unit: a change up to it is none, however large in percent
  };
  struct whole_run_rules {
    double share;      ///< of all cases moving the same way …
    double shift_pct;  ///< … by more than this: the environment is suspected
    std::size_t minimum_cases;
    std::size_t same_sign_runs;  ///< so many runs in a row whose findings all have one sign: likewise
    std::vector<std::string>
        controls;  ///< calibrations by their ceilings, which no change of the code touches
  };
  struct history_rules {
    double level;               ///< of the permutation test of a change point
    double minimum_change_pct;  ///< a smaller one is not reported
  };
  struct compare_rules {
    double interval_confidence;
    double one_launch_delta_pct;        ///< delta where a side has one launch, whose own noise is unknown
    double one_launch_short_delta_pct;  ///< likewise, of short cases
    double short_below_us;
  };

  std::string name, description;
  launch_rules launch;
  environment_rules environment;
  screen_rules screen;
  confirm_rules confirm;
  delta_rules delta;
  calibration_rules calibration;
  std::vector<counter_rule> counters;
  whole_run_rules whole_run;
  history_rules history;
  compare_rules compare;
  double time_budget_seconds;
};

/// Throws bad_input naming the file, the place and what was expected: a key that is unknown or missing, a
/// number out of range, pairs so few that no case could ever be found slower at the level.
gate_policy read_policy(const std::filesystem::path&);

}  // namespace ablate::gate
