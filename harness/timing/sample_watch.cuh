#pragma once

#include <functional>
#include <optional>

#include "harness/timing/clock_stamps.cuh"
#include "harness/timing/stopwatch.h"
#include "harness/timing/timed.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// How long a case may wait for a steady clock, and who says meanwhile what the device is about.
struct clock_wait {
  double longest_seconds;
  std::optional<double> power_cap_w;
  std::function<device_load()> load;
};

/// Decides when a case has been sampled enough: by the stopping rule and, where there is a wait, not before
/// the SM clock is steady.
class sample_watch {
 public:
  /// `at_once`: so many samples are in flight together. `wait` may be null.
  sample_watch(const sampling&, const clock_wait* wait, int at_once, cudaStream_t, const device_limits&);

  /// Around everything that is enqueued for a sample, its spin kernel included.
  void before(int sample) const;
  void after(int sample) const;
  /// When all is enqueued and nothing waited for.
  void at_work();
  /// When all has been waited for and its samples added. If true, `stopped_by` and `clock` are set, and the
  /// samples that do not count are gone.
  bool enough(timed&);

 private:
  bool enough_at_steady_clock(timed&);

  const sampling rule_;
  const clock_wait* wait_;
  cudaStream_t stream_;
  std::optional<clock_stamps> stamps_;
  std::optional<steady_clock_watch> clock_;
  device_load load_;
  double ask_again_at_s_ = 0;  ///< NVML's sensors change by the tens of milliseconds
  stopwatch watch_;
};

}  // namespace ablate
