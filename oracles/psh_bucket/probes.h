#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// The 124 non-zero offsets of {−2 … 2}³ and (3,3,3), (3,−3,3), (−3,3,−3), (−3,−3,−3), shuffled by the seed:
/// [128][3].
std::vector<std::int16_t> shuffled_probe_steps(std::uint64_t seed);

/// Where the probes of a point without a place lead: from its voxel in the direction of the probe, by a
/// random step of Q · 2.56 / divisor to twice that, plus a random shift of up to half a step on each axis;
/// beyond the box the path turns back. The random numbers are a function of (seed, point, probe) alone, the
/// same in every variant, so the host knows where a point may have gone.
class probed_buckets {
 public:
  using voxel = std::array<std::uint16_t, 3>;

  /// Of a problem with host pointers, which must outlive this.
  explicit probed_buckets(const problem&);

  /// Bucket at a probe. `point` is counted through all instances.
  std::uint16_t at(std::int64_t point, const voxel&, int probe) const;

  /// Where the drain of the published modes sends the point: the bucket of one of its probes, or any other
  /// where that is the bin.
  std::uint16_t drained(std::int64_t point, const voxel&) const;

 private:
  static constexpr int key_shift = 10;  ///< levels below 2^10 are in no Morton key
  std::uint16_t key_of(const voxel&) const;

  const problem& p_;
  float least_step_;
  bool is_xor_;
  std::array<std::array<std::uint16_t, 64>, 3> morton_key_;  ///< each axis's share of a Morton key
  std::vector<std::uint16_t> bucket_of_key_;
};

}  // namespace ablate::psh_bucket
