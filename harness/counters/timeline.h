#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/record/counters.h"
#include "harness/counters/pm_sampler.h"
#include "harness/counters/unavailable.h"

namespace ablate {

/// How a case is sampled: a kernel that is short relative to the interval is launched several times in a row.
struct sampling_plan {
  std::uint64_t interval_ns = 0;
  int loops = 1;
};
sampling_plan plan_sampling(double launch_us);

/// A kernel of the case and its share of a launch's time, 0 to 1.
struct kernel_share {
  std::string name;
  double share = 1;
};

/// Shares computed from the durations in a record's `counters`; without these, one share for the whole launch
/// under all names.
std::vector<kernel_share> kernel_shares(const std::vector<std::string>& kernels,
                                        const counter_readings& counters);

/// Samples have their own clock. `marker` gives the device's global timer for a kernel that ran first, on all
/// multiprocessors and with idle time around it; this finds the middle of its activity (the samples' first
/// value, in percent) and returns how far the samples' clock is ahead, in ns. Nothing if the marker is not
/// found.
struct marker_times {
  std::uint64_t start_ns = 0, end_ns = 0;
};
std::optional<double> clock_offset_ns(const std::vector<pm_sample>&, const marker_times& marker);
inline constexpr const char* no_marker_in_samples =
    "the samples do not show the marker that sets their clock";

/// When the launches ran, on the samples' clock.
struct sampled_launches {
  sampling_plan how;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::vector<kernel_share> kernels;
};

/// A record's `timeline`: samples (at their middles) from just before the launches to just after them, with
/// time 0 at their start; every launch gets the loop's mean time. `keys` names the samples' values in order.
/// Throws samples_fall_short where they do not show nearly all of the launches.
activity_timeline timeline_of(const std::vector<std::string>& keys, const std::vector<pm_sample>&,
                              const sampled_launches&);

}  // namespace ablate
