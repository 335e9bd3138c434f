#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/counters/pm_sampler.h"

namespace ablate {

/// How a case is sampled: a kernel that is short against the interval is launched several times in a row.
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

/// The shares by the durations in a record's `counters`; without these, the whole launch under all names
/// together.
std::vector<kernel_share> kernel_shares(const std::vector<std::string>& kernels,
                                        const nlohmann::ordered_json& counters);

/// Samples carry a clock of their own. `marker` is what ran first, on all multiprocessors and with quiet
/// around it, by the device's global timer; this finds the middle of its activity (the samples' first value,
/// in percent) and says how far the samples' clock is ahead, in ns. Nothing where the marker is not seen.
struct marker_times {
  std::uint64_t start_ns = 0, end_ns = 0;
};
std::optional<double> clock_offset_ns(const std::vector<pm_sample>&, const marker_times& marker);

/// When the launches ran, by the samples' clock.
struct sampled_launches {
  sampling_plan how;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::vector<kernel_share> kernels;
};

/// A record's `timeline`: samples (at their middles) from just before the launches to just after them, time 0
/// being their start; every launch takes the mean of the loop. `keys` names the samples' values in their
/// order.
nlohmann::ordered_json timeline_json(const std::vector<std::string>& keys, const std::vector<pm_sample>&,
                                     const sampled_launches&);

}  // namespace ablate
