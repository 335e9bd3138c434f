#pragma once

#include "kernels/voxelize/bins.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// A bin is counted by a block of so many threads, in shared memory: a counter for each of its places, and
/// one after them for padding keys. Then all of it is written to the grid.

template <bool OnlyMarks>
__device__ void count_key(int* count) {
  if constexpr (OnlyMarks)
    *count = 1;
  else
    atomicAdd(count, 1);
}

template <bool OnlyMarks>
__device__ void count_keys(int* counts, const uint4& keys) {
#pragma unroll
  for (const unsigned two : {keys.x, keys.y, keys.z, keys.w}) {
    count_key<OnlyMarks>(counts + (two & 0xffff));
    count_key<OnlyMarks>(counts + (two >> 16));
  }
}

template <class Count>
struct alignas(16) four_counters {
  Count of[4];
};

/// Writes the counters of all places of a bin that map to one of the `cells` cells at `grid`, zeros
/// included if the region has the grid `cleared`; by vectors of 16 bytes if `by_vectors`.
template <int Threads, class Count, bool Instrumented>
__device__ void write_bin(const bin_map& map, int cells_per_bin, const int4* counters, int bin, Count* grid,
                          int cells, bool cleared, bool by_vectors, tally<Instrumented>& events) {
  const auto put = [&](Count& counter, int count) {
    if (count != 0) {
      events.add(flushes);
      events.add(group_voxels);
      events.add(hits, static_cast<unsigned>(count) - 1);
      put_alone(&counter, count, cleared);
    } else if (cleared) {
      counter = Count{};
    }
  };
  // Four neighbors share a row, and hence a bin.
  for (int place = 4 * static_cast<int>(threadIdx.x); place < cells_per_bin; place += 4 * Threads) {
    const int cell = map.cell_of(bin, place);
    const int4 count = counters[place / 4];
    const int each[] = {count.x, count.y, count.z, count.w};
    if (by_vectors && cell + 4 <= cells) {
      auto* const four = reinterpret_cast<four_counters<Count>*>(grid + cell);
      four_counters<Count> sums;
      if (!cleared) sums = *four;
#pragma unroll
      for (int i = 0; i < 4; ++i) put(sums.of[i], each[i]);
      *four = sums;
    } else {
      for (int i = 0; i < 4; ++i)
        if (cell + i < cells) put(grid[cell + i], each[i]);
    }
  }
  if (threadIdx.x == 0) events.add(groups);
}

}  // namespace ablate::voxelize
