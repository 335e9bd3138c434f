#pragma once

#include <cub/block/block_scan.cuh>

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// Prefix sums over `count` values, by a block of `block_points` threads: `value(i)` gives the i-th,
/// `use(i, before, value)` takes the sum of those before it, on the thread that asked for the i-th. The whole
/// block calls this; it synchronizes at its end. Returns the sum of all. `Sum`: an unsigned integer.
template <class Sum, class Value, class Use>
__device__ Sum sum_in_order(int count, Value value, Use use) {
  constexpr int per_thread = 4;  // values whose loads are under way together
  using scan = cub::BlockScan<Sum, block_points, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage storage;
  Sum carried = 0;
  for (int first = 0; first < count; first += per_thread * block_points) {
    const int at = first + per_thread * static_cast<int>(threadIdx.x);
    Sum mine[per_thread], before[per_thread], sum;
    for (int k = 0; k < per_thread; ++k) mine[k] = at + k < count ? value(at + k) : 0;
    scan(storage).ExclusiveSum(mine, before, sum);
    for (int k = 0; k < per_thread; ++k)
      if (at + k < count) use(at + k, carried + before[k], mine[k]);
    carried += sum;
    __syncthreads();
  }
  return carried;
}

/// Where leftovers go in strict mode: leftover j, in the order of home buckets, gets the j-th free place in
/// the order of buckets, so neighbors stay together.
struct fill_tables {
  std::uint32_t* free_end;        ///< [buckets]: free places up to and with this bucket
  std::uint32_t* leftover_begin;  ///< [buckets]: leftovers of the home buckets before

  /// By a whole block. `count(b)` ≤ capacity points are placed in bucket b, `leftovers(b)` are left of it;
  /// then `use(b, before, final)` takes the final count of each bucket and the sum of those before it.
  template <class Count, class Leftovers, class Use>
  __device__ void fill(int buckets, unsigned capacity, Count count, Leftovers leftovers, Use use) const {
    // Both sums in one: leftovers in the upper half, free places in the lower.
    const unsigned long long all = sum_in_order<unsigned long long>(
        buckets,
        [&](int b) { return static_cast<unsigned long long>(leftovers(b)) << 32 | (capacity - count(b)); },
        [&](int b, unsigned long long before, unsigned long long own) {
          leftover_begin[b] = static_cast<unsigned>(before >> 32);
          free_end[b] = static_cast<unsigned>(before + own);
        });
    const unsigned left = static_cast<unsigned>(all >> 32);
    // Of `full` places, so many are free: the sum of the counts is the difference, and leftovers fill from
    // the front.
    const auto points_in = [&](unsigned full, unsigned free) { return full - free + min(left, free); };
    for (int b = threadIdx.x; b < buckets; b += block_points) {
      const unsigned before = points_in(b * capacity, b == 0 ? 0 : free_end[b - 1]);
      use(b, before, points_in((b + 1) * capacity, free_end[b]) - before);
    }
    __syncthreads();
  }

  /// The place of a leftover, {bucket, offset}.
  __device__ uint2 place_of(unsigned home, unsigned rank, int buckets, unsigned capacity) const {
    const unsigned j = leftover_begin[home] + rank;
    unsigned bucket = 0;
    for (unsigned step = buckets / 2; step > 0; step /= 2)
      if (free_end[bucket + step - 1] <= j) bucket += step;
    return {bucket, capacity + j - free_end[bucket]};
  }
};

}  // namespace ablate::psh_bucket
