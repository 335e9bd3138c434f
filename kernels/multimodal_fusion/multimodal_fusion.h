#pragma once

#include <array>
#include <cstdint>

#include "kernels/trajectory_resample/trajectory_resample.h"

namespace ablate::multimodal_fusion {

using trajectory_resample::element;
using trajectory_resample::outside;

constexpr int stream_count = 3;

/// One sensor's samples.
struct stream {
  int samples = 1;  ///< 1 … max_samples of trajectory_resample, also for all streams together
  int channels = 1;
  const void* source = nullptr;  ///< [batch][samples][channels]
  const float* times = nullptr;  ///< [batch][samples], non-decreasing, finite, seconds
};

/// Aligns three streams of different rates to the same times and concatenates their channels
/// (docs/operations/multimodal_fusion.md; RoboCache's multimodal fusion with its clamp fixed): each stream is
/// resampled as trajectory_resample does it.
struct problem {
  int batch = 1;  ///< at most 65535
  int targets = 1;
  element type = element::float32;  ///< of sources and out; arithmetic is fp32
  outside beyond = outside::clamp;
  std::array<stream, stream_count> streams;
  const float* target_times = nullptr;  ///< [batch][targets], in any order, finite, seconds
  void* out = nullptr;                  ///< [batch][targets][channels of all streams, in order]

  int out_row() const;
  int samples() const;  ///< over all streams
};

/// One of its streams, as a resampling problem.
trajectory_resample::problem resampling_of(const problem&, int stream);

}  // namespace ablate::multimodal_fusion
