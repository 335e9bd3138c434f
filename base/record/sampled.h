#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record/counters.h"
#include "base/text/json_place.h"

namespace ablate {

/// Percent of the peak by key of a record's `sampled`; null where it was not read.
using activity_values = counter_values;

/// What the device did over forwards of a case, gaps between kernels included (PM sampling): `sampled` of a
/// measured case.
struct sampled_activity {
  long ranges;
  double interval_us;
  double range_us, range_sigma_us;               ///< of the sampled forwards
  std::optional<double> unsampled_us, cost_pct;  ///< of those in turns with them
  double busy_share;                             ///< of their time
  activity_values mean, sigma, without_gaps;     ///< over ranges
};

/// What counters say of the same over busy time alone: the sum over a case's kernels of activity times
/// duration, over the busy time of a range. Durations of kernels that are counted one by one are no measure
/// of busy time: each begins and ends with a microsecond or so in which no multiprocessor has a warp. Nothing
/// for a key that has no such counter, whose counter or durations were not read, or if the result is beyond
/// 100 %, as where the counted kernels ran in another regime.
std::optional<double> counted_activity(const counter_readings&, const sampled_activity&,
                                       std::string_view key);

/// The value of a key; nothing if it is null or absent.
std::optional<double> find_activity(const activity_values&, std::string_view key);

/// Throws bad_input if the record does not match the schema.
void from_json(const reports::json_place&, sampled_activity&);
nlohmann::ordered_json to_json(const sampled_activity&);
nlohmann::ordered_json fields_schema(const sampled_activity&);

}  // namespace ablate
