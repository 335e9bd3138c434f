// Counts sorted keys (sort_keys.cu): points of one cell are neighbors, and no point is read again. Keys are
// Morton codes or cell indices. How equal keys are merged, and what should move:
//   merge=none       none: one reduction per key, in the order of cells. Isolates the effect of sorting on
//                    direct counting. Against global_atomic: L2 reduction sectors, down, since a warp's
//                    points share cells and sectors.
//   merge=warp_runs  a lane leads if its left neighbor has another key, and sends one reduction for its run
//                    in the warp. Reductions, down to one per cell plus one for each further warp that a run
//                    extends into.
//   merge=runs       no atomics: the first key of each run finds the end of its run, with doubling steps and
//                    then bisection, and alone writes its cell. Reductions, to none; loads, up by a few per
//                    cell.
//   merge=bricks     in shared memory, along a Morton curve: 8 × 8 × 8 cells are 512 consecutive codes, so
//                    the keys of a brick are contiguous. A block handles a range of keys, counts one brick
//                    after the other in 512 dense counters (2 KiB), and writes each brick back when its keys
//                    end: with plain stores if all of the brick's keys are in the range, with reductions for
//                    the bricks at its two ends. Reductions, down to those of two bricks per block; shared
//                    atomics and barriers, up.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/sorted_keys.cuh"

namespace ablate::voxelize {

template <class Count, class Key, bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_each_key(view<Count> v, sorted_keys<Key> sorted) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const Key key = sorted.at(i);
  events.add(points, i < sorted.count);
  if (key != sorted.none) {
    events.add(valid);
    add_to_cell(sorted.counter_of(v, key), 0, Count{1}, events);
  }
  events.write(v.events);
}

template <class Count, class Key, bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_segments(view<Count> v, sorted_keys<Key> sorted) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const Key key = sorted.at(i);
  const merged_points merged = merge_neighbors()(key);
  events.add(points, i < sorted.count);
  if (i < sorted.count && threadIdx.x % warpSize == 0) events.add(groups);
  if (key != sorted.none) {
    events.add(valid);
    if (merged.leads) {
      events.add(group_voxels);
      add_to_cell(sorted.counter_of(v, key), 0, static_cast<Count>(merged.points), events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

/// The end of the run of equal keys that starts at place `first`.
template <class Key>
__device__ long long end_of_run(const sorted_keys<Key>& sorted, long long first) {
  const Key key = sorted.keys[first];
  long long inside = first, step = 1;
  while (inside + step < sorted.count && sorted.keys[inside + step] == key) {
    inside += step;
    step *= 2;
  }
  long long outside = min(inside + step, sorted.count);
  while (outside - inside > 1) {
    const long long middle = (inside + outside) / 2;
    if (sorted.keys[middle] == key)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

template <class Count, class Key, bool Instrumented>
__global__ __launch_bounds__(block_threads) void write_runs(view<Count> v, sorted_keys<Key> sorted,
                                                            bool cleared) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const Key key = sorted.at(i);
  events.add(points, i < sorted.count);
  events.add(valid, key != sorted.none);
  if (key != sorted.none && (i == 0 || sorted.keys[i - 1] != key)) {
    events.add(group_voxels);
    put_alone(sorted.counter_of(v, key), static_cast<int>(end_of_run(sorted, i) - i), cleared);
  }
  events.write(v.events);
}

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

void sorted(launcher& to, const problem& p, const switches& s) {
  const text_view merge = s.word("merge");
  const int keys_per_block = merge == "bricks" ? points_per_block_of(to, p, s) : block_threads;
  count_sorted(to, p, s, [&](auto count, auto instrumented, auto sorted) {
    using Count = decltype(count);
    using Key = typename decltype(sorted)::key;
    const dim3 grid(blocks_for(sorted.count, keys_per_block)), block(block_threads);
    const view<Count> v(p);
    if (merge == "bricks")
      launch(to, count_sorted_bricks<Count, Key, instrumented>, grid, block, 0, v, sorted, keys_per_block,
             p.clears_grid);
    else if (merge == "runs")
      launch(to, write_runs<Count, Key, instrumented>, grid, block, 0, v, sorted, p.clears_grid);
    else if (merge == "warp_runs")
      launch(to, add_segments<Count, Key, instrumented>, grid, block, 0, v, sorted);
    else
      launch(to, add_each_key<Count, Key, instrumented>, grid, block, 0, v, sorted);
  });
}

}  // namespace ablate::voxelize
