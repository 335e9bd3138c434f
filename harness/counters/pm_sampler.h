#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/counters/counter_host.h"

namespace ablate {

/// What the whole device did between two times of its own clock.
struct pm_sample {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::vector<double> values;  ///< in the order of the metrics; not a number where none was read
};

/// Reads a few counters of the whole device at equal intervals while something runs there. It holds the
/// counters only while it samples; a range profiler must have released them.
class pm_sampler {
 public:
  /// `max_samples`: room for those of one call; each takes some 16 KB. Throws counters_unavailable.
  pm_sampler(int device, std::vector<std::string> metrics, std::uint32_t max_samples);
  ~pm_sampler();
  pm_sampler(const pm_sampler&) = delete;

  /// Samples while `work` runs; it must wait for what it launches. On GA100, which has no timer for this, the
  /// interval is that many cycles of the system clock. Of more samples than there is room for, the first
  /// ones: whoever needs them looks how far they reach. Throws counters_unavailable, or what `work` throws.
  std::vector<pm_sample> sample(std::uint64_t interval_ns, const std::function<void()>& work);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ablate
