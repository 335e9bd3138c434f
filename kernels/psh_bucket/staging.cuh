#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// Points of a block's part in shared memory, in the order of their rows: written to device memory in that
/// order, the lanes of a warp meet the same sectors, while in the order of points each point would touch its
/// own.
class staging {
 public:
  static constexpr std::size_t bytes_per_point = 2 * sizeof(std::uint32_t) + 3 * sizeof(__half);

  /// `memory`: bytes_per_point · capacity.
  __device__ staging(void* memory, unsigned capacity)
      : rows_(static_cast<std::uint32_t*>(memory)),
        points_(rows_ + capacity),
        coordinates_(reinterpret_cast<__half*>(points_ + capacity)) {}

  __device__ void put(unsigned at, unsigned row, unsigned point, const __half* coordinates) {
    rows_[at] = row;
    points_[at] = point;
    for (int axis = 0; axis < 3; ++axis) coordinates_[3 * at + axis] = coordinates[axis];
  }
  __device__ std::uint32_t& row(unsigned at) { return rows_[at]; }

  /// By the whole block, synchronized before.
  __device__ void write(const view& v, unsigned count) const {
    for (unsigned at = threadIdx.x; at < count; at += blockDim.x) v.source[rows_[at]] = points_[at];
    for (unsigned half = threadIdx.x; half < 3 * count; half += blockDim.x) {
      const unsigned at = half / 3;
      v.scattered[3ull * rows_[at] + (half - 3 * at)] = coordinates_[half];
    }
  }

 private:
  std::uint32_t *rows_, *points_;
  __half* coordinates_;
};

}  // namespace ablate::psh_bucket
