// Features of a cluster's members to one row, as published: a warp a row, its lanes 32 channels at a time,
// 2 bytes a lane; for each of these it goes through the members, or through the places of the published
// table and skips the empty ones. 32 rows a block. The other direction (unpooling, gradients) is the same: a
// warp a cluster, which goes through the cluster's members.
// Should move: load instructions a byte, to eight times those of lanes of 16 bytes.
#include "kernels/pool/phases.h"
#include "kernels/pool/row_view.cuh"

namespace ablate::pool {

constexpr int warp_row_threads = 1024, rows_of_block = warp_row_threads / 32;

__device__ inline float number_of(std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }
__device__ inline std::uint16_t bits_of(float number) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(number));
}
__device__ inline long long element(const row_view& v, unsigned row, int channel) {
  return static_cast<long long>(row) * v.channels + channel;
}
__device__ inline unsigned row_of_warp() { return blockIdx.x * rows_of_block + threadIdx.x / 32; }

template <class Members, reduction Op, winners Winners>
__global__ __launch_bounds__(warp_row_threads) void reduce_row_by_warp(const __grid_constant__ row_view v,
                                                                       const Members members) {
  const unsigned row = row_of_warp(), rows = v.rows();
  if (row >= rows + v.known_padding) return;
  const bool is_padding = row >= rows;
  const unsigned begin = is_padding ? 0 : members.begin(row), end = is_padding ? 0 : members.end(row);
  for (int c = static_cast<int>(threadIdx.x % 32); c < v.channels; c += 32) {
    reducer<Op, Winners, 1> reduced;
    unsigned count = 0;
    for (unsigned i = begin; i < end; ++i) {
      const unsigned from = members.at(i);
      if (from >= v.points) continue;
      reduced.take(0, number_of(v.features[element(v, from, c)]), i - begin);
      ++count;
    }
    reduced.end(count);
    v.pooled[element(v, row, c)] = bits_of(reduced.x[0]);
    if constexpr (reducer<Op, Winners, 1>::keeps_winners)
      v.winner[element(v, row, c)] = stored_winner(reduced.winner[0]);
  }
}

template <class Members>
__global__ __launch_bounds__(warp_row_threads) void unpool_row_by_warp(const __grid_constant__ row_view v,
                                                                       const Members members) {
  const unsigned row = row_of_warp();
  if (row >= v.rows()) return;
  for (int c = static_cast<int>(threadIdx.x % 32); c < v.channels; c += 32) {
    const float down = number_of(v.down[element(v, row, c)]);
    for (unsigned i = members.begin(row); i < members.end(row); ++i) {
      const unsigned to = members.at(i);
      if (to >= v.points) continue;
      const long long at = element(v, to, c);
      v.up[at] = bits_of(number_of(v.skipped[at]) + down);
    }
  }
}

/// Minimum and maximum by the winners that were kept; a late one is searched again.
template <class Members, reduction Op>
__global__ __launch_bounds__(warp_row_threads) void spread_row_by_warp(const __grid_constant__ row_view v,
                                                                       const Members members) {
  constexpr bool selects = reducer<Op, winners::kept, 1>::selects;
  const unsigned row = row_of_warp();
  if (row >= v.rows()) return;
  const unsigned begin = members.begin(row), end = members.end(row);
  unsigned count = 0;
  for (unsigned i = begin; i < end; ++i) count += members.at(i) < v.points;
  for (int c = static_cast<int>(threadIdx.x % 32); c < v.channels; c += 32) {
    float gradient = number_of(v.row_gradient[element(v, row, c)]);
    if constexpr (Op == reduction::mean) gradient = gradient / static_cast<float>(count);
    unsigned winner = selects ? v.winner[element(v, row, c)] : 0;
    if constexpr (selects) {
      if (winner == late_winner) {
        reducer<Op, winners::kept, 1> again;
        for (unsigned i = begin; i < end; ++i)
          again.take(0, number_of(v.features[element(v, members.at(i), c)]), i - begin);
        winner = again.winner[0];
      }
    }
    for (unsigned i = begin; i < end; ++i) {
      const unsigned to = members.at(i);
      if (to >= v.points) continue;
      v.feature_gradient[element(v, to, c)] = bits_of(!selects || i - begin == winner ? gradient : 0.0f);
    }
  }
}

template <class Members>
void launch_warps(launcher& to, const problem& p, void (*kernel)(row_view, Members), const row_view& v) {
  launch(to, kernel, dim3(blocks_for(p.capacity(), rows_of_block)), dim3(warp_row_threads), 0, v, Members(p));
}

/// Calls `act(kind)` with a null pointer to the members' kind.
template <class Act>
void with_members(bool from_table, Act act) {
  if (from_table)
    act(static_cast<member_table*>(nullptr));
  else
    act(static_cast<member_lists*>(nullptr));
}

void reduce_by_warps(launcher& to, const problem& p, bool from_table) {
  with_members(from_table, [&]<class Members>(Members*) {
    with_reducer(p, [&](auto op, auto winners) {
      launch_warps<Members>(to, p, reduce_row_by_warp<Members, op, winners>, row_view(p));
    });
  });
}

void unpool_by_warps(launcher& to, const problem& p, bool from_table) {
  with_members(from_table, [&]<class Members>(Members*) {
    launch_warps<Members>(to, p, unpool_row_by_warp<Members>, row_view(p));
  });
}

void reduce_backward_by_warps(launcher& to, const problem& p, bool from_table) {
  with_members(from_table, [&]<class Members>(Members*) {
    with_reduction(
        p.op, [&](auto op) { launch_warps<Members>(to, p, spread_row_by_warp<Members, op>, row_view(p)); });
  });
}

void unpool_backward_by_warps(launcher& to, const problem& p, bool from_table) {
  row_view v(p);
  v.features = p.point_gradient;
  v.pooled = p.down_gradient;
  with_members(from_table, [&]<class Members>(Members*) {
    launch_warps<Members>(to, p, reduce_row_by_warp<Members, reduction::sum, winners::dropped>, v);
  });
}

}  // namespace ablate::pool
