// Bricks in shared memory, keys sorted along a Morton curve: 8 × 8 × 8 cells are 512 consecutive codes, so
// the keys of a brick are contiguous. A block takes a range of keys, counts one brick after the other in 512
// dense counters (2 KiB), and writes each brick back when its keys end: with plain stores if all of the
// brick's keys lie in the range, with reductions for the bricks at its two ends. Should move, against
// sorted_segments: reductions, down to those of two bricks per block; shared atomics and barriers, up.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/sorted_keys.cuh"

namespace ablate::voxelize {

constexpr int brick_bits = 3 * cell_keys::brick_axis_bits;
constexpr int brick_cells = 1 << brick_bits;

/// Morton code, within its brick, of the `word`th cell in memory order.
__device__ inline unsigned code_in_memory_order(unsigned word, bool z_fastest) {
  const unsigned fast = word & 7, middle = word >> 3 & 7, slow = word >> 6;
  return static_cast<unsigned>(z_fastest ? serialize::interleave(fast, middle, slow)
                                         : serialize::interleave(slow, middle, fast));
}

/// Writes a brick back and clears its counters.
template <class Count, class Key, bool Instrumented>
__device__ void flush_brick(const view<Count>& v, const sorted_keys<Key>& sorted, Key brick, int* counts,
                            bool owned, bool cleared, tally<Instrumented>& events) {
  const bool z_fastest = v.stride[2] < v.stride[0];
  for (int word = threadIdx.x; word < brick_cells; word += block_threads) {
    const unsigned code = code_in_memory_order(word, z_fastest);
    const int count = counts[code];
    if (count == 0) continue;
    counts[code] = 0;
    Count* const counter = sorted.counter_of(v, static_cast<Key>(brick << brick_bits | code));
    events.add(flushes);
    events.add(group_voxels);
    if (owned)
      put_alone(counter, count, cleared);
    else
      add_to_cell(counter, 0, static_cast<Count>(count), events);
  }
}

template <class Count, class Key, bool Instrumented>
__global__ __launch_bounds__(block_threads) void count_sorted_bricks(view<Count> v, sorted_keys<Key> sorted,
                                                                     int keys_per_block, bool cleared) {
  __shared__ int counts[brick_cells];
  tally<Instrumented> events;
  for (int cell = threadIdx.x; cell < brick_cells; cell += block_threads) counts[cell] = 0;
  __syncthreads();

  const long long first = static_cast<long long>(blockIdx.x) * keys_per_block;
  const long long end = min(first + keys_per_block, sorted.count);
  long long at = first;
  // Keys of points outside come last.
  while (at < end && sorted.keys[at] != sorted.none) {
    const Key brick = sorted.keys[at] >> brick_bits;
    const bool begins_here = at == 0 || sorted.keys[at - 1] >> brick_bits != brick;
    int counted;
    do {
      const long long i = at + threadIdx.x;
      const Key key = i < end ? sorted.keys[i] : sorted.none;
      const bool inside = key >> brick_bits == brick;
      if (inside) {
        events.add(valid);
        atomicAdd(counts + (key & (brick_cells - 1)), 1);
      }
      counted = __syncthreads_count(inside);
      at += counted;
    } while (counted == block_threads);
    const bool ends_here = at == sorted.count || sorted.keys[at] >> brick_bits != brick;
    if (threadIdx.x == 0) events.add(groups);
    flush_brick(v, sorted, brick, counts, begins_here && ends_here, cleared, events);
    __syncthreads();
  }
  if (threadIdx.x == 0) events.add(points, static_cast<unsigned>(end - first));
  events.write(v.events);
}

void sorted_bricks(launcher& to, const problem& p, const switches& s) {
  const int keys_per_block = points_per_block_of(to, p, s);
  count_sorted(to, p, s, [&](auto count, auto instrumented, auto sorted) {
    using Count = decltype(count);
    launch(to, count_sorted_bricks<Count, typename decltype(sorted)::key, instrumented>,
           dim3(blocks_for(sorted.count, keys_per_block)), dim3(block_threads), 0, view<Count>(p), sorted,
           keys_per_block, p.clears_grid);
  });
}

}  // namespace ablate::voxelize
