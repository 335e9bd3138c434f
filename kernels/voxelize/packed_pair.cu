// Packed pairs: the int32 grid seen as 64-bit words, cell 2j in the low half and 2j+1 in the high half (the
// same bytes in memory), one 64-bit reduction a point. Nothing is merged: as many reductions as global_atomic
// sends, on wider words. Should move: nothing, which is the point. A carry out of the low half would need
// 2^32 points in a cell.
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_to_pair(view<int> v, long long cells) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events, [&](int cell) {
    events.add(global_atomics);
    // Pairs are counted over the whole batch, since a cloud of an odd number of cells ends inside of one.
    const long long at = blockIdx.y * v.cells_per_cloud + cell;
    if (cells % 2 == 1 && at == cells - 1) {
      atomicAdd(v.grid + at, 1);  // the last cell of an odd grid has no second half
    } else {
      auto* pairs = reinterpret_cast<unsigned long long*>(v.grid);
      atomicAdd(pairs + at / 2, at % 2 == 0 ? 1ull : 1ull << 32);
    }
  });
  events.write(v.events);
}

void packed_pair(launcher& to, const problem& p, const switches&) {
  const view<int> v(p);
  const long long cells = p.batch * p.cells_per_cloud();
  if (p.events)
    launch(to, add_to_pair<true>, grid_of(p, block_threads), dim3(block_threads), 0, v, cells);
  else
    launch(to, add_to_pair<false>, grid_of(p, block_threads), dim3(block_threads), 0, v, cells);
}

}  // namespace ablate::voxelize
