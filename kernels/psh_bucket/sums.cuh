#pragma once

#include <cub/block/block_scan.cuh>

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// Prefix sums over as many values as there are buckets, by a block of `block_points` threads. `value(b)`
/// gives the b-th, `use(b, before, value)` takes the sum of those before it. The whole block calls this; it
/// synchronizes at its end. Returns the sum of all.
template <class Value, class Use>
__device__ unsigned sum_in_order(int count, Value value, Use use) {
  using scan = cub::BlockScan<unsigned, block_points>;
  __shared__ typename scan::TempStorage storage;
  unsigned carried = 0;
  for (int first = 0; first < count; first += block_points) {
    const int at = first + static_cast<int>(threadIdx.x);
    const unsigned mine = at < count ? value(at) : 0;
    unsigned before, sum;
    scan(storage).ExclusiveSum(mine, before, sum);
    if (at < count) use(at, carried + before, mine);
    carried += sum;
    __syncthreads();
  }
  return carried;
}

/// What the counters of one instance say once leftovers are in: where its free places and its leftovers
/// begin, and how many points each bucket ends with. Leftover j, in the order of home buckets, gets the j-th
/// free place in the order of buckets, so neighbors stay together (§1.7, strict).
struct fill_tables {
  std::uint32_t* free_end;        ///< [buckets]: free places up to and with this bucket
  std::uint32_t* leftover_begin;  ///< [buckets]: leftovers of the home buckets before

  /// By a whole block. `count(b)` points are placed in bucket b, `leftovers(b)` are left of it; `use(b,
  /// before, final)` takes the final count of each bucket and the sum of those before it.
  template <class Count, class Leftovers, class Use>
  __device__ void fill(int buckets, unsigned capacity, Count count, Leftovers leftovers, Use use) const {
    const unsigned left = sum_in_order(buckets, leftovers,
                                       [&](int b, unsigned before, unsigned) { leftover_begin[b] = before; });
    sum_in_order(
        buckets, [&](int b) { return capacity - count(b); },
        [&](int b, unsigned before, unsigned own) { free_end[b] = before + own; });
    const auto final_count = [&](int b) {
      const unsigned free_places = capacity - count(b), first = free_end[b] - free_places;
      return count(b) + (left > first ? min(left - first, free_places) : 0);
    };
    sum_in_order(buckets, final_count, use);
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
