#pragma once

#include <cstdint>

#include "kernels/common/launch.cuh"
#include "kernels/pool/scratch.h"

namespace ablate::pool {

/// The problem as kernels that pool by grid take it.
struct grid_view {
  const std::uint64_t* codes;
  const std::int32_t *orders, *cells;
  const float* positions;
  std::uint32_t *start, *member, *cluster;
  std::int32_t *count, *cell_out, *order_out, *inverse_out;
  std::uint64_t* code_out;
  float* position_out;
  std::int32_t* heads;
  std::uint32_t* state;
  long long pitch;
  int points, instances, curves, shift;
  int code_shift;      ///< of a code to that of its cell in the coarser grid
  int instance_shift;  ///< of such a code to its instance
  int tiles;           ///< of a curve

  explicit grid_view(const problem& p)
      : codes(p.codes),
        orders(p.orders),
        cells(p.cells),
        positions(p.positions),
        start(p.start),
        member(p.member),
        cluster(p.cluster),
        count(p.count),
        cell_out(p.cell_out),
        order_out(p.order_out),
        inverse_out(p.inverse_out),
        code_out(p.code_out),
        position_out(p.position_out),
        heads(scratch(p).heads),
        state(p.state),
        pitch(p.pitch()),
        points(static_cast<int>(p.points)),
        instances(p.instances),
        curves(p.curves),
        shift(p.shift),
        code_shift(3 * p.shift),
        instance_shift(3 * (p.depth - p.shift)),
        tiles(static_cast<int>(tiles_of(p.points))) {}

  /// Of a row on a curve, in the coarser grid.
  __device__ std::uint64_t code_of(int curve, int row) const {
    return __ldg(codes + curve * pitch + row) >> code_shift;
  }
  __device__ int instance_of(std::uint64_t code) const { return static_cast<int>(code >> instance_shift); }
  /// Not through the read-only path: the kernel may have begun before the one that counts had ended.
  __device__ unsigned rows() const { return static_cast<unsigned>(count[instances]); }

  /// A cluster's cell in the coarser grid, that of any of its rows.
  __device__ void write_cell(unsigned cluster, int row) const {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      cell_out[3ll * cluster + axis] = __ldg(cells + 3ll * row + axis) >> shift;
  }

  /// The mean of a cluster's members.
  __device__ void write_position(unsigned cluster) const {
    const unsigned begin = start[cluster], end = start[cluster + 1];
    float sum[3] = {};
    for (unsigned i = begin; i < end; ++i) {
      const float* const of_row = positions + 3ll * member[i];
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) sum[axis] += __ldg(of_row + axis);
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      position_out[3ll * cluster + axis] = sum[axis] / static_cast<float>(end - begin);
  }

  /// `count` from the cluster where instance `from` begins to the one where instance `to` does.
  __device__ void begin_instances(int from, int to, unsigned cluster) const {
    for (int b = from; b <= to; ++b) count[b] = static_cast<std::int32_t>(cluster);
  }
};

/// Numbers the clusters along the first curve and finds the rows that begin one on the other `curves`: start,
/// member, cluster, count; of the first curve cell_out, code_out, order_out, inverse_out; of the others
/// `heads`. Leaves the numbers of flags in `state`, which carry_orders zeroes.
void number_clusters(launcher&, const grid_view&, int curves);

/// After it: code_out, order_out and inverse_out of the curves but the first, and position_out.
/// `overlaps`: begins while number_clusters runs.
void carry_orders(launcher&, const grid_view&, int curves, bool overlaps);

/// All of both in one launch; leaves `state` zero.
void index_by_flags_at_once(launcher&, const problem&);

}  // namespace ablate::pool
