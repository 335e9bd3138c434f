// Sorted, but not merged: one reduction per key, in the order of the cells. Shows what sorting alone does for
// direct counting. Should move, against global_atomic: L2 reduction sectors, down, since a warp's points
// share cells and sectors.
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

void sorted_atomic(launcher& to, const problem& p, const switches& s) {
  count_sorted(to, p, s, [&](auto count, auto instrumented, auto sorted) {
    using Count = decltype(count);
    launch(to, add_each_key<Count, typename decltype(sorted)::key, instrumented>,
           dim3(blocks_for(sorted.count, block_threads)), dim3(block_threads), 0, view<Count>(p), sorted);
  });
}

}  // namespace ablate::voxelize
