#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::trajectory_resample {

enum class element { float32, bfloat16 };

/// What becomes of targets before the first or after the last sample: the end sample; or, as the published
/// kernels have it, the line through the two samples at the end goes on: behind the last sample alone (the
/// kernel of one stream, which cannot reach its own clamp), or on both sides (the fusion of streams).
enum class outside { clamp, extrapolate_after, extrapolate };

/// Samples nearer in time than this count as one: the earlier holds. Seconds.
constexpr float smallest_gap_s = 1e-6f;

/// Resamples trajectories at other times, by linear interpolation (specification: voxelization §7;
/// RoboCache's "trajectory_resample" with its clamp mended). For a target τ of a trajectory with times t:
///   i = the last sample with t_i ≤ τ, of equal times the last, limited to 0 … samples − 2
///   α = (τ − t_i) / (t_{i+1} − t_i), 0 where the gap is below smallest_gap_s, limited as `beyond` says
///   out = (1 − α) · source_i + α · source_{i+1}
/// α takes fp32 arithmetic, rounded to nearest: it is part of the definition. Of one sample all are copies.
struct problem {
  int batch = 1;    ///< trajectories, at most 65535
  int samples = 1;  ///< of a trajectory, 1 … most_samples
  int targets = 1;  ///< at which it is resampled
  int channels = 1;
  element type = element::float32;  ///< of source and out; arithmetic is fp32
  outside beyond = outside::clamp;
  const void* source = nullptr;         ///< [batch][samples][channels]
  const float* source_times = nullptr;  ///< [batch][samples], not decreasing, finite, seconds
  const float* target_times = nullptr;  ///< [batch][targets], in any order, finite, seconds
  void* out = nullptr;                  ///< [batch][targets][out_row], of which `channels` are written
  int out_row = 1;                      ///< elements of a row of out: channels, unless it holds more streams
};

/// As many times fit into the shared memory of a block on every chip.
constexpr int most_samples = 32768;

constexpr int bytes_of(element type) { return type == element::float32 ? 4 : 2; }

/// The limits of α.
struct weight_limits {
  float least, most;
};
weight_limits limits_of(outside);

/// Between which samples a target lies: i and α.
struct bracket {
  int first;
  float weight;
};
/// The oracle of the search.
bracket bracket_of(const float* times, int samples, float target, outside);

/// Samples, of all trajectories, whose weight is not 0 for one target at least: rows of the source that must
/// be read. Of a problem with host pointers.
std::int64_t needed_rows(const problem&);

/// The oracle, into a host buffer: interpolation in fp64, rounded to the element's type.
void reference(const problem&);

/// The greatest distance of `out` from the fp64 result, in units of the last place that the element's type
/// has at |(1 − α) · source_i| + |α · source_{i+1}|, and the place in out where it is; infinite where out is
/// not a number. Of a problem with host pointers.
struct deviation {
  double ulps = 0;
  std::int64_t at = 0;
  double expected = 0, found = 0;
};
deviation deviation_of(const problem&);

/// Accepted of it (specification: voxelization §7): two roundings of fp32, or one to bf16.
constexpr double accepted_ulps(element type) { return type == element::float32 ? 2 : 1; }

}  // namespace ablate::trajectory_resample
