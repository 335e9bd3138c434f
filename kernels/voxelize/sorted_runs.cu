// Sorted and run-length encoded, no atomics: the first key of each run finds the end of its run, with
// doubling steps and then bisection, and alone writes its cell. Should move, against sorted_segments:
// reductions, to none; loads, up by a few per cell.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/sorted_keys.cuh"

namespace ablate::voxelize {

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

void sorted_runs(launcher& to, const problem& p, const switches& s) {
  count_sorted(to, p, s, [&](auto count, auto instrumented, auto sorted) {
    using Count = decltype(count);
    launch(to, write_runs<Count, typename decltype(sorted)::key, instrumented>,
           dim3(blocks_for(sorted.count, block_threads)), dim3(block_threads), 0, view<Count>(p), sorted,
           p.clears_grid);
  });
}

}  // namespace ablate::voxelize
