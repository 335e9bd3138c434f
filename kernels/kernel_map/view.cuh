#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/tally.cuh"
#include "kernels/hash_table/coordinate.cuh"
#include "kernels/kernel_map/phases.h"
#include "kernels/kernel_map/scratch.h"

namespace ablate::kernel_map {

/// Lists are made in two passes over the same pairs.
enum class list_pass { count, write };

using hash_table::coordinate;

template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

/// The problem as passed to kernels.
struct view {
  const coordinate* rows_at;
  const coordinate* outs_at;
  long long rows, outs, capacity;
  std::int64_t* ends;
  std::int32_t *in_rows, *out_rows, *status;
  unsigned long long* events;
  kernel_map::scratch scratch;
  int offsets;
  int kernel[3], centre[3], stride[3], dilation[3];
  bool guards;

  explicit view(const problem& p)
      : rows_at(reinterpret_cast<const coordinate*>(p.coordinates)),
        outs_at(reinterpret_cast<const coordinate*>(p.same ? p.coordinates : p.out_coordinates)),
        rows(p.rows),
        outs(p.outs),
        capacity(p.capacity),
        ends(p.ends),
        in_rows(p.in_rows),
        out_rows(p.out_rows),
        status(p.status),
        events(p.events),
        scratch(p),
        offsets(p.offsets()),
        guards(p.guards) {
    for (int axis = 0; axis < 3; ++axis) {
      kernel[axis] = p.kernel[axis];
      centre[axis] = p.kernel[axis] % 2 == 1 ? (p.kernel[axis] - 1) / 2 : 0;
      stride[axis] = p.stride[axis];
      dilation[axis] = p.dilation[axis];
    }
  }

  /// Offset q along x, y, z.
  __host__ __device__ int3 offset(int q) const {
    const int iz = q % kernel[2], iy = q / kernel[2] % kernel[1], ix = q / kernel[2] / kernel[1];
    return {(ix - centre[0]) * dilation[0], (iy - centre[1]) * dilation[1], (iz - centre[2]) * dilation[2]};
  }

  /// The in coordinate that an out row needs at an offset.
  __device__ coordinate wanted(const coordinate& out, const int3& o) const {
    return {out.x, out.y * stride[0] + o.x, out.z * stride[1] + o.y, out.w * stride[2] + o.z};
  }
};

/// The masks or the reverse table, which follow T.
__device__ inline std::int32_t* behind_dense(const view& v) { return v.scratch.dense + v.offsets * v.outs; }

/// Stores a pair at its place in the lists, if it fits.
__device__ inline void put_pair(const view& v, long long at, int in, int out) {
  if (at >= v.capacity) return;
  v.in_rows[at] = in;
  v.out_rows[at] = out;
}

}  // namespace ablate::kernel_map
