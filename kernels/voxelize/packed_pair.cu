// Packed pairs: the int32 grid as 64-bit words, cell 2j in the low half and 2j+1 in the high half, one 64-bit
// reduction per point. Nothing is merged: as many reductions as global_atomic sends, on wider words. Should
// move: nothing, which is the point. A carry out of the low half would need 2^32 points in a cell.
#include "kernels/voxelize/cell_pairs.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_to_pair(view<int> v, cell_pairs<int> pairs) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events, [&](int cell) {
    const int at = pairs.place_of(v, cell);
    pairs.add(v, at / 2, at % 2 == 0, at % 2 == 1, events);
  });
  events.write(v.events);
}

void packed_pair(launcher& to, const problem& p, const switches&) {
  ablate::with_form(p, [&](auto instrumented) {
    launch(to, add_to_pair<instrumented>, grid_of(p, block_threads), dim3(block_threads), 0, view<int>(p),
           cell_pairs<int>(p));
  });
}

}  // namespace ablate::voxelize
