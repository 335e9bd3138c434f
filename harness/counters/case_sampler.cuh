#pragma once

#include <cuda_runtime.h>

#include <optional>
#include <string>

#include "harness/counters/marked_sampler.cuh"
#include "harness/counters/timeline.h"

namespace ablate {

/// A case as the sampler needs it.
struct sampled_case {
  std::vector<kernel_share> kernels;
  double launch_us = 0;           ///< median, of the timing
  std::function<void()> prepare;  ///< as profiled_case::prepare
  std::function<void()> enqueue;  ///< launches the case once and does not wait
  bool only_once = false;         ///< a second launch would not find what the first one did
};

/// Records what the device does while a case runs, several launches in a row where one is short.
class case_sampler {
 public:
  explicit case_sampler(int device);
  const std::optional<std::string>& why_not() const { return sampler_.why_not(); }

  /// A record's `timeline`, taken again a few times where samples fall short. Throws counters_unavailable.
  activity_timeline collect(const sampled_case&, cudaStream_t);

 private:
  activity_timeline collect_once(const sampled_case&, cudaStream_t);

  marked_sampler sampler_;
};

}  // namespace ablate
