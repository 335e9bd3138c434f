#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/pool/number_flags.cuh"

// A tile of an order, a block's part: its rows, their codes, the flags, and the flags of all tiles before.

namespace ablate::pool {

constexpr int number_threads = 256, places_of_thread = tile_places / number_threads;
static_assert(places_of_thread == 4, "a thread loads its places as one int4");

/// A thread's places of the tile blockIdx.x of the curve blockIdx.y. All threads make each step.
struct thread_places {
  int first;                  ///< place
  int row[places_of_thread];  ///< −1 past the last place
  std::uint64_t code[places_of_thread], before;
  bool flag[places_of_thread];
  bool looks_back;  ///< the place before a warp's first belongs to another warp
  int row_before;

  __device__ void read_rows(const grid_view& v, const std::int32_t* order) {
    first = static_cast<int>(blockIdx.x) * tile_places + places_of_thread * static_cast<int>(threadIdx.x);
#pragma unroll
    for (int& of : row) of = -1;
    if (first + places_of_thread <= v.points) {
      const int4 four = __ldg(reinterpret_cast<const int4*>(order + first));
      row[0] = four.x;
      row[1] = four.y;
      row[2] = four.z;
      row[3] = four.w;
    } else {
#pragma unroll
      for (int k = 0; k < places_of_thread; ++k)
        if (first + k < v.points) row[k] = __ldg(order + first + k);
    }
    looks_back = threadIdx.x % 32 == 0 && first > 0 && first < v.points;
    row_before = looks_back ? __ldg(order + first - 1) : 0;
  }

  __device__ void read_codes(const grid_view& v, int curve) {
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k) code[k] = row[k] >= 0 ? v.code_of(curve, row[k]) : 0;
    before = __shfl_up_sync(~0u, code[places_of_thread - 1], 1);
    if (looks_back) before = v.code_of(curve, row_before);
  }

  /// The thread's number of flags.
  __device__ unsigned find_flags() {
    unsigned own = 0;
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k) {
      flag[k] = row[k] >= 0 && (first + k == 0 || code[k] != code_before(k));
      own += flag[k];
    }
    return own;
  }

  __device__ std::uint64_t code_before(int k) const { return k == 0 ? before : code[k - 1]; }

  /// The first instance that may begin at a flagged place: the one after that of the place before.
  __device__ int first_instance(const grid_view& v, int k) const {
    return first + k == 0 ? 0 : v.instance_of(code_before(k)) + 1;
  }

  __device__ void write_members(const grid_view& v) const {
    if (row[places_of_thread - 1] >= 0) {
      *reinterpret_cast<int4*>(v.member + first) = make_int4(row[0], row[1], row[2], row[3]);
      return;
    }
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k)
      if (row[k] >= 0) v.member[first + k] = static_cast<unsigned>(row[k]);
  }
};

/// The flags of all tiles of the curve before this one. The whole block calls this; the sum comes to all.
__device__ inline unsigned flags_before(const grid_view& v, unsigned own) {
  using sum = cub::BlockReduce<unsigned, number_threads>;
  __shared__ typename sum::TempStorage storage;
  __shared__ unsigned before;
  volatile std::uint32_t* const published = v.state + blockIdx.y * v.tiles;
  const int tile = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) published[tile] = own + 1;  // 0: not there yet
  unsigned mine = 0;
  for (int other = static_cast<int>(threadIdx.x); other < tile; other += number_threads) {
    unsigned seen;
    do seen = published[other];
    while (seen == 0);
    mine += seen - 1;
  }
  const unsigned all = sum(storage).Sum(mine);
  if (threadIdx.x == 0) before = all;
  __syncthreads();
  return before;
}

/// What the first curve's last tile knows: where the last cluster ends, and instances without a row.
__device__ inline void write_end(const grid_view& v, const std::int32_t* order, unsigned clusters) {
  v.start[clusters] = static_cast<unsigned>(v.points);
  const int last = v.points == 0 ? -1 : v.instance_of(v.code_of(0, order[v.points - 1]));
  v.begin_instances(last + 1, v.instances, clusters);
}

}  // namespace ablate::pool
