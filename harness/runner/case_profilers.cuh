#pragma once

#include <optional>
#include <vector>

#include "base/record/record.h"
#include "harness/counters/case_profiler.h"
#include "harness/counters/case_sampler.cuh"
#include "harness/counters/range_sampler.cuh"
#include "harness/runner/cuda_case.cuh"
#include "harness/runner/executor.h"
#include "harness/runner/output_check.h"

namespace ablate {

/// What is read of a case besides its times: counters, a timeline, samples of whole forwards. Outputs are
/// compared there too: whatever is wrong throws wrong_output.
class case_profilers {
 public:
  /// Opens only what is requested.
  case_profilers(const cuda_device&, const profiling_request&);

  /// What they contribute to the evidence ladder.
  record::evidence_rung counters_rung() const;
  record::evidence_rung sampling_rung() const;

  /// Called before a case: releases the counters if another process waits for them.
  void yield_counters() {
    if (profiler_) profiler_->yield_counters();
  }

  /// A record's `counters`; `kernels`: its kernels.
  counter_readings counters_of(cuda_case&, output_check&,
                               const std::vector<measured_case::kernel_launch>& kernels);
  /// Adds what the case requests of `timeline` and `sampled` to its facts. What cannot be taken is left out
  /// with the reason, and the case keeps its times.
  void add_samples(cuda_case&, output_check&, measured_case& facts);

 private:
  void add_timeline(cuda_case&, output_check&, measured_case& facts);
  void add_sampled(cuda_case&, output_check&, measured_case& facts);

  std::optional<case_profiler> profiler_;  ///< if counters were requested
  std::optional<case_sampler> sampler_;    ///< if a timeline was
  std::optional<range_sampler> ranges_;    ///< if sampled forwards were
};

}  // namespace ablate
