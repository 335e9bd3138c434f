#pragma once

#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

struct reciprocals {
  float of_axis[3];
};

inline reciprocals reciprocals_of(const problem& p) {
  return {{1.0f / p.voxel[0], 1.0f / p.voxel[1], 1.0f / p.voxel[2]}};
}

// Where kernels of one point per thread have it from, and how its cell is found. As a kernel argument;
// `cell_of_point` is −1 past the end.

/// x y z interleaved, divided by the cell's edge.
struct interleaved {
  explicit interleaved(const problem&) {}

  template <class Count>
  static view<Count> view_of(const problem& p) {
    return view<Count>(p);
  }
  template <class Count>
  __device__ int cell_of_point(const view<Count>& v, long long i) const {
    return v.cell_of_point(v.cloud_points(), i);
  }
};

/// A structure of arrays: the view's points are columns.
struct columns {
  explicit columns(const problem&) {}

  template <class Count>
  static view<Count> view_of(const problem& p) {
    view<Count> of_columns(p);
    of_columns.points = p.points_soa;
    return of_columns;
  }
  template <class Count>
  __device__ int cell_of_point(const view<Count>& v, long long i) const {
    if (i >= v.points_per_cloud) return -1;
    const float* const x = v.cloud_points();
    const float *const y = x + v.points_per_cloud, *const z = y + v.points_per_cloud;
    return v.cell_of(x[i], y[i], z[i]);
  }
};

/// x y z interleaved, multiplied by the reciprocal of the cell's edge.
struct multiplied {
  reciprocals per_meter;

  explicit multiplied(const problem& p) : per_meter(reciprocals_of(p)) {}

  template <class Count>
  static view<Count> view_of(const problem& p) {
    return view<Count>(p);
  }
  template <class Count>
  __device__ int cell_of_point(const view<Count>& v, long long i) const {
    if (i >= v.points_per_cloud) return -1;
    const float* const point = v.cloud_points() + 3 * i;
    bool inside = true;
    int c[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const float in_cells =
          floorf(__fmul_rn(__fsub_rn(point[axis], v.origin[axis]), per_meter.of_axis[axis]));
      // Compared as floats: NaN fails here, but would convert to the integer 0.
      inside = inside && in_cells >= 0.0f && in_cells < static_cast<float>(v.cells[axis]);
      c[axis] = static_cast<int>(in_cells);
    }
    return inside ? v.index_of(c) : -1;
  }
};

}  // namespace ablate::voxelize
