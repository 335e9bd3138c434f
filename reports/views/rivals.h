#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/views/operation_view.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// The record's rivals to which this variant belongs: third-party kernels added by a script; null for a
/// variant of `ablate run`.
const record::rival_facts* rival_of(const record&, const std::string& operation, const std::string& variant);

/// A rival's time over that of one of our variants, measured in turns on one device. The interval is of the
/// model of all ratios (base/statistics/launch_ratio.h), with rounds instead of launches: it covers what
/// further rounds of these two processes give.
struct turns_ratio {
  std::size_t rounds;
  double ratio;                              ///< mean over the rounds, in logarithms
  double low, high;                          ///< its 95 % interval, unbounded for one round
  std::optional<double> our_mhz, rival_mhz;  ///< medians over the rounds
  std::optional<double> in_cycles;           ///< the same ratio of time × clock, median over the rounds
  bool steady;                               ///< all clocks were shown to be

  bool has_unlike_clocks() const;
};

/// Nothing if they did not take turns.
std::optional<turns_ratio> ratio_in_turns(const measured_case& rival, const std::string& our_variant);

/// What the figures of turns_table mean.
inline constexpr const char* about_turns =
    "Ours and the rival were timed in turns on one GPU, A, B, A, B, each sampled until its SM clock was "
    "steady: the rival's time over ours in the same round (above 1 ours is faster), as the mean over the "
    "rounds, in logarithms, with the 95 % interval of what further rounds give. ‡ marks SM clocks more than "
    "1 % apart, ~ a clock that was not steady in some turn. In cycles: the same ratio of time × clock.";

/// One line for each rival and each of our variants that took turns.
table turns_table(const operation_view&);

}  // namespace ablate::reports
