#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/counters/pm_sampler.h"

namespace ablate {

/// Samples, and how far their clock is ahead of the device's global timer.
struct clocked_samples {
  std::vector<pm_sample> samples;
  double ahead_ns = 0;
};

/// Samples the whole device, whoever's work runs there. Tests substitute a scripted one.
class device_sampler {
 public:
  virtual ~device_sampler() = default;
  /// Names of the samples' values, in order: those of a record's `sampled`, SM active first, and busy_key.
  virtual const std::vector<std::string>& keys() const = 0;
  /// Samples while `work` runs, which waits for what it launches. The device must be idle before. Throws
  /// counters_unavailable, or what `work` throws.
  virtual clocked_samples sample(std::uint64_t interval_ns, const std::function<void()>& work) = 0;
};

}  // namespace ablate
