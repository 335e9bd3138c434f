#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::trajectory_resample {

enum class element { float32, bfloat16 };

/// How targets before the first or after the last sample are treated: clamped to the end sample; or, as in
/// the published kernels, extrapolated along the line through the two end samples: only after the last sample
/// (the kernel for one stream, which cannot reach its own clamp), or on both sides (the fusion of streams).
enum class outside { clamp, extrapolate_after, extrapolate };

/// Samples closer in time than this count as one: the earlier one is used. Seconds.
constexpr float smallest_gap_s = 1e-6f;

/// Resamples trajectories at other times, by linear interpolation (docs/operations/trajectory_resample.md;
/// RoboCache's "trajectory_resample" with its clamp fixed). For a target τ of a trajectory with times t:
///   i = the last sample with t_i ≤ τ, the last one among equal times, limited to 0 … samples − 2
///   α = (τ − t_i) / (t_{i+1} − t_i), 0 where the gap is below smallest_gap_s, limited according to `beyond`
///   out = (1 − α) · source_i + α · source_{i+1}
/// α is computed in fp32, rounded to nearest: that is part of the definition. A single sample is copied to
/// all targets.
struct problem {
  int batch = 1;    ///< trajectories, at most 65535
  int samples = 1;  ///< per trajectory, 1 … max_samples
  int targets = 1;  ///< times to resample at, per trajectory
  int channels = 1;
  element type = element::float32;  ///< of source and out; arithmetic is fp32
  outside beyond = outside::clamp;
  const void* source = nullptr;         ///< [batch][samples][channels]
  const float* source_times = nullptr;  ///< [batch][samples], non-decreasing, finite, seconds
  const float* target_times = nullptr;  ///< [batch][targets], in any order, finite, seconds
  void* out = nullptr;                  ///< [batch][targets][out_row]; `channels` are written
  int out_row = 1;  ///< elements per row of out: channels, or more if rows hold several streams
};

/// This many times fit in a block's shared memory on every chip.
constexpr int max_samples = 32768;

constexpr int bytes_of(element type) { return type == element::float32 ? 4 : 2; }

/// The limits of α.
struct weight_limits {
  float least, most;
};
weight_limits limits_of(outside);

/// The samples on either side of a target, and its weight: i and α.
struct bracket {
  int first;
  float weight;
};

}  // namespace ablate::trajectory_resample
