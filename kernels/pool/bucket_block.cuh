#pragma once

#include <cuda_fp16.h>

#include "kernels/common/launch.cuh"
#include "kernels/pool/sub_buckets.h"

namespace ablate::pool {

constexpr int warps_of_block = block_points / 32;

/// The problem as kernels that pool within buckets take it: a thread a row, a block for every block_points
/// rows of an instance, which is blockIdx.y.
struct bucket_view {
  const __half* coordinates;
  const std::uint32_t* ends;
  std::uint32_t *start, *member, *cluster;
  std::int32_t* count;
  __half* half_out;
  unsigned points, rows, padded_rows;
  int instances, ratio;
  bool rotates;
  std::uint32_t seed;

  explicit bucket_view(const problem& p)
      : coordinates(reinterpret_cast<const __half*>(p.coordinates)),
        ends(p.ends),
        start(p.start),
        member(p.member),
        cluster(p.cluster),
        count(p.count),
        half_out(reinterpret_cast<__half*>(p.half_out)),
        points(static_cast<unsigned>(p.points)),
        rows(static_cast<unsigned>(p.rows)),
        padded_rows(static_cast<unsigned>(p.padded_rows)),
        instances(p.instances),
        ratio(p.ratio),
        rotates(p.rotates),
        seed(p.seed) {}

  __device__ unsigned begin_of(int instance) const { return instance == 0 ? 0 : ends[instance - 1]; }
};

inline dim3 bucket_grid(const problem& p) {
  return dim3(p.largest == 0 ? 1 : blocks_for(p.largest, block_points), static_cast<unsigned>(p.instances));
}

/// This block's rows, and where their clusters begin.
struct block_place {
  int instance;
  unsigned first, points;            ///< rows; of an instance's first block there may be none
  unsigned clusters, first_cluster;  ///< of the block
  unsigned first_of_instance;        ///< cluster
  unsigned begin_of_instance;        ///< row

  /// All threads of the block; whole warps sum over the instances before.
  __device__ explicit block_place(const bucket_view& v) : instance(static_cast<int>(blockIdx.y)) {
    begin_of_instance = v.begin_of(instance);
    first = begin_of_instance + blockIdx.x * block_points;
    const unsigned end = v.ends[instance];
    points = end > first ? min(end - first, static_cast<unsigned>(block_points)) : 0;
    clusters = clusters_of(points, v.ratio);
    unsigned before = 0;
    for (int b = static_cast<int>(threadIdx.x % 32); b < instance; b += 32)
      before += clusters_of(v.ends[b] - v.begin_of(b), v.ratio);
    first_of_instance = __reduce_add_sync(~0u, before);
    first_cluster = first_of_instance + blockIdx.x * clusters_of(block_points, v.ratio);
  }

  __device__ bool is_there() const { return blockIdx.x == 0 || points > 0; }
  __device__ bool has_thread() const { return threadIdx.x < points; }
};

/// What a block shares of its rows.
struct block_rows {
  __half coordinate[3][block_points];  ///< as they came
  std::uint16_t sorted[block_points];  ///< rows of the block, cluster after cluster
};

/// Integers in the order of the fp32 numbers, and back.
__device__ inline int ordered_float(float c) {
  const int bits = __float_as_int(c);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ inline float float_of_ordered(int ordered) {
  return __int_as_float(ordered ^ (ordered >> 31 & 0x7fffffff));
}

/// The box of a block's coordinates: by warp, and of all.
struct alignas(16) block_box {
  int least[3][warps_of_block], most[3][warps_of_block], extreme[2][3];
};

/// The thread's coordinates, rotated if the problem requests it, and its cell in the box of the block's.
/// All threads; keeps the coordinates in `rows`, and synchronizes twice.
__device__ inline unsigned find_cell(const bucket_view& v, const block_place& at, block_rows& rows,
                                     float (&c)[3]) {
  __shared__ block_box box;
  auto& [least, most, extreme] = box;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const bool is_active = at.has_thread();
  c[0] = c[1] = c[2] = 0;
  if (is_active) {
    const __half* const from = v.coordinates + 3ull * (at.first + threadIdx.x);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const __half read = from[axis];
      rows.coordinate[axis][threadIdx.x] = read;
      c[axis] = __half2float(read);
    }
    if (v.rotates) {
      const rotation turn(v.seed, at.instance, static_cast<int>(blockIdx.x));
      const float straight[3] = {c[0], c[1], c[2]};
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) c[axis] = turn.turned(axis, straight);
    }
  }
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const int ordered = ordered_float(c[axis]);
    const int low = __reduce_min_sync(~0u, is_active ? ordered : 0x7fffffff);
    const int high = __reduce_max_sync(~0u, is_active ? ordered : static_cast<int>(0x80000000u));
    if (lane == 0) {
      least[axis][warp] = low;
      most[axis][warp] = high;
    }
  }
  __syncthreads();
  if (warp < 3) {
    const int low = __reduce_min_sync(~0u, least[warp][lane]);
    if (lane == 0) extreme[0][warp] = low;
  } else if (warp < 6) {
    const int high = __reduce_max_sync(~0u, most[warp - 3][lane]);
    if (lane == 0) extreme[1][warp - 3] = high;
  }
  __syncthreads();
  unsigned level[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis)
    level[axis] =
        axis_levels(float_of_ordered(extreme[0][axis]), float_of_ordered(extreme[1][axis])).of(c[axis]);
  return cell_of(level[0], level[1], level[2]);
}

/// The mean of `count` of the block's rows, from `sorted[begin]` on, to a cluster's coordinates.
__device__ inline void write_mean(const bucket_view& v, const block_rows& rows, unsigned cluster,
                                  unsigned begin, unsigned count) {
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    float sum = 0;
    for (unsigned i = begin; i < begin + count; ++i)
      sum += __half2float(rows.coordinate[axis][rows.sorted[i]]);
    v.half_out[3ull * cluster + axis] = __float2half_rn(sum / static_cast<float>(count));
  }
}

/// What no block's rows decide: where instances begin, the ends, and the padding's coordinates.
__device__ inline void write_counts(const bucket_view& v, const block_place& at) {
  if (blockIdx.x != 0) return;
  if (threadIdx.x == 0) v.count[at.instance] = static_cast<std::int32_t>(at.first_of_instance);
  if (at.instance != v.instances - 1) return;
  if (threadIdx.x == 0) {
    v.count[v.instances] = static_cast<std::int32_t>(v.rows);
    v.start[v.rows] = v.points;
  }
  for (unsigned i = threadIdx.x; i < 3 * (v.padded_rows - v.rows); i += block_points)
    v.half_out[3ull * v.rows + i] = __ushort_as_half(psh_bucket::padding_half);
}

/// The outputs of a block whose rows are sorted: `place` is the thread's row's among them. `rows` is
/// complete.
__device__ inline void write_clusters(const bucket_view& v, const block_place& at, const block_rows& rows,
                                      unsigned place) {
  const unsigned ratio = v.ratio, t = threadIdx.x;
  if (at.has_thread()) {
    v.member[at.first + t] = at.first + rows.sorted[t];
    v.cluster[at.first + t] = at.first_cluster + place / ratio;
  }
  if (t < at.clusters) {
    const unsigned begin = t * ratio;
    v.start[at.first_cluster + t] = at.first + begin;
    write_mean(v, rows, at.first_cluster + t, begin, min(ratio, at.points - begin));
  }
  write_counts(v, at);
}

}  // namespace ablate::pool
