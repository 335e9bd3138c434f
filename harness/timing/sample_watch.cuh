#pragma once

#include <functional>
#include <optional>

#include "harness/timing/clock_stamps.cuh"
#include "harness/timing/stopwatch.h"
#include "harness/timing/timed.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// How long a case may wait for a steady clock, and how to query the device's load meanwhile.
struct clock_wait {
  double longest_seconds;
  std::optional<double> power_cap_w;
  std::function<device_load()> load;
};

/// Decides when a case has enough samples: by the stopping rule and, given a wait, not before the SM clock is
/// steady or the wait is over.
class sample_watch {
 public:
  /// `at_once`: the number of samples in flight. `wait` may be null.
  sample_watch(const sampling&, const clock_wait* wait, int at_once, cudaStream_t, const device_limits&);

  /// Called around everything enqueued for a sample, including its spin kernel.
  void before(int sample) const;
  void after(int sample) const;
  /// Called when everything is enqueued, before waiting for it.
  void at_work();
  /// Called after the wait, once the samples are added. If true, `stopped_by` and `clock` are set, and
  /// samples that do not count have been removed.
  bool enough(timed&);

 private:
  bool enough_at_steady_clock(timed&);

  const sampling rule_;
  const clock_wait* wait_;
  cudaStream_t stream_;
  std::optional<clock_stamps> stamps_;
  std::optional<steady_clock_watch> clock_;
  device_load load_;
  double ask_again_at_s_ = 0;  ///< NVML's sensors update every few tens of milliseconds
  stopwatch watch_;
  ordered_samples ordered_;  ///< those taken so far; not where the clock decides which count
};

}  // namespace ablate
