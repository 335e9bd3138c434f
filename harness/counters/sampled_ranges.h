#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/record/sampled.h"
#include "harness/counters/device_sampler.h"

namespace ablate {

/// A stretch of the device's time, gaps between kernels included.
struct device_range {
  std::uint64_t start_ns = 0, end_ns = 0;
  double length_us() const { return 1e-3 * static_cast<double>(end_ns - start_ns); }
};

/// The samples' interval for ranges of this length: 200 samples each, at least 2 µs apart.
std::uint64_t interval_of_ranges_ns(double range_us);

/// What the samples' clock shows when `device_ns` is on the device's: `ahead_ns` more (clock_offset_ns).
device_range on_samples_clock(const device_range&, double ahead_ns);

/// Mean of each of the samples' values over a range; a sample counts by the fraction of it inside. Not
/// a number where a sample lacks the value. Throws counters_unavailable if samples cover less than nine
/// tenths of the range.
std::vector<double> means_over(const std::vector<pm_sample>&, const device_range&);

/// Ranges of the same work.
struct sampled_ranges {
  std::uint64_t interval_ns = 0;
  std::vector<device_range> sampled;       ///< on any clock: only their lengths count
  std::vector<std::vector<double>> means;  ///< of each sampled range, in the order of the keys
  std::vector<device_range> unsampled;     ///< the same work while nothing was sampled; may be empty
};

/// The key whose mean is the share of time in which any multiprocessor has a warp; `busy_share` of a record.
inline constexpr const char* busy_key = "busy_pct";

/// Runs forwards_a_round forwards, one after the other and each on an idle device, and returns their ranges
/// on the device's clock.
using marked_forwards = std::function<std::vector<device_range>()>;
inline constexpr int forwards_a_round = 5;

/// Three rounds, each of forwards alone and of forwards that are sampled; the first of either, which follows
/// a pause, is left out. The interval follows from the first ones alone. Throws counters_unavailable.
sampled_ranges sample_forwards(device_sampler&, const marked_forwards&);

/// Adds what was sampled in one round: the means over `ranges`, which are on the device's clock.
void add_round(const clocked_samples&, const std::vector<device_range>& ranges, sampled_ranges& to);

/// A record's `sampled`. `keys` names the means in order. Throws counters_unavailable if there is no range or
/// the device was not busy in them.
sampled_activity sampled_of(const std::vector<std::string>& keys, const sampled_ranges&);

}  // namespace ablate
