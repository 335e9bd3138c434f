// Every tile sorted for the lists, where a block-wide sort does it: in shared memory.
//   The same networks as sorts_tiles (with_choice.cuh), which has 32 of a row's numbers in the lanes of a
//   warp and exchanges them by shuffles. Here a lane takes pairs of places, loads both numbers and stores
//   them in order, the pairs of 16 rows at once; what a step leaves is there for the next after a barrier of
//   the warp.
// Should move: shared-memory accesses, by two loads and two stores a pair and step;
// shuffles, none.
#pragma once

#include "kernels/compression_attention/exchange_pairs.h"
#include "kernels/compression_attention/with_choice.cuh"

namespace ablate::compression_attention {

class sort_tiles_in_shared {
 public:
  struct memory {
    lists_of_warp<1> lists;
    entry stage[staged_rows][tile_keys];
  };
  __device__ sort_tiles_in_shared(const view& v, memory* of_warp)
      : of_(*of_warp), first_listed_(v.first_listed) {
    clear_lists<1, entry>(of_.lists);
  }

  __device__ void see(const tile_scores& s, const group_maxima&, const tile_place& at) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned column = 8 * n + lane % 4 * 2 + e % 2;
          // Neither NaN nor −∞ is listed.
          const bool is_candidate = s[i][n][e] > -INFINITY && at.first_key + column >= first_listed_;
          of_.stage[8 * (e / 2) + lane / 4][turned(8 * (e / 2) + lane / 4, column)] =
              is_candidate ? entry_of(s[i][n][e], at.first_key + column) : 0;
        }
      __syncwarp();
      merge_staged(of_.lists + 16 * i);
    }
  }
  __device__ void finish(const view& v, const tile_place& at) { write_lists<1, entry>(of_.lists, v, at); }

 private:
  /// Rows are turned against each other, so that they lie in different banks.
  __device__ static unsigned turned(unsigned row, unsigned column) { return (column + 4 * row) % tile_keys; }

  __device__ static void order(entry& first, entry& second, bool descending) {
    const entry a = first, b = second;
    first = (a > b) == descending ? a : b;
    second = (a > b) == descending ? b : a;
  }

  /// One step for `Pairs` pairs in each of 16 rows.
  template <int Pairs, class At>
  __device__ void exchange_all(int far, int size, const At& at) {
#pragma unroll 4
    for (int item = static_cast<int>(threadIdx.x) % 32; item < staged_rows * Pairs; item += 32) {
      const int row = item / Pairs, first = first_of_pair(item % Pairs, far);
      order(at(row, first), at(row, first + far), is_descending(first, size));
    }
    __syncwarp();
  }

  /// The 64 staged numbers of each row to its list.
  __device__ void merge_staged(entry (*lists)[32]) {
    const auto staged = [&](int row, int column) -> entry& {
      return of_.stage[row][turned(static_cast<unsigned>(row), static_cast<unsigned>(column))];
    };
    const auto listed = [&](int row, int place) -> entry& { return lists[row][place]; };
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // The first 32 in descending order, the others in ascending order.
#pragma unroll 1
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll 1
      for (int far = size / 2; far > 0; far /= 2) exchange_all<32>(far, size, staged);
        // The greater ones of both, a bitonic sequence, in ascending order.
#pragma unroll 4
    for (int row = 0; row < staged_rows; ++row) {
      const entry other = staged(row, lane + 32);
      entry& mine = staged(row, lane);
      if (other > mine) mine = other;
    }
    __syncwarp();
#pragma unroll 1
    for (int far = 16; far > 0; far /= 2) exchange_all<16>(far, all_ascending, staged);
      // Those and the list, backward to each other, likewise, in descending order.
#pragma unroll 4
    for (int row = 0; row < staged_rows; ++row) {
      const entry other = staged(row, lane);
      entry& mine = listed(row, lane);
      if (other > mine) mine = other;
    }
    __syncwarp();
#pragma unroll 1
    for (int far = 16; far > 0; far /= 2) exchange_all<16>(far, all_descending, listed);
  }

  memory& of_;
  unsigned first_listed_;
};

}  // namespace ablate::compression_attention
