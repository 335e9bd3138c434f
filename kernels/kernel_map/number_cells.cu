// The table of occupied cells, as published: twice as many slots as rows; every row inserts its cell by
// compare-and-swap, and the first to do so gives it a number, with one atomic for the warp's new cells.
#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

constexpr int number_threads = 256;

__global__ __launch_bounds__(number_threads) void clear_cells(view v) {
  const long long i = static_cast<long long>(blockIdx.x) * number_threads + threadIdx.x;
  if (i < v.scratch.coarse_slots) v.scratch.coarse_keys[i] = 0;
  if (i < v.rows) v.scratch.cell_bits[i] = 0;
  if (i < 2) v.scratch.cell_count[i] = 0;
  if (i == 0) *v.scratch.table_status = 0;
}

__global__ __launch_bounds__(number_threads) void number_cells(view v, cell_table cells, cell_box box) {
  const long long row = static_cast<long long>(blockIdx.x) * number_threads + threadIdx.x;
  bool mine = false;
  unsigned slot = 0;
  coordinate cell{};
  if (row < v.rows) {
    cell = box.cell_of(v.rows_at[row]);
    slot = cells.put(cell, mine);
    v.scratch.cell_of_row[row] = static_cast<int>(slot);
  }
  const unsigned claimed = __ballot_sync(~0u, mine);
  if (claimed == 0) return;
  const unsigned lane = threadIdx.x % 32, leader = __ffs(claimed) - 1;
  unsigned first = 0;
  if (lane == leader) first = atomicAdd(v.scratch.cell_count, static_cast<unsigned>(__popc(claimed)));
  first = __shfl_sync(~0u, first, leader);
  if (!mine) return;
  const unsigned id = first + __popc(claimed & ((1u << lane) - 1));
  cells.ids[slot] = static_cast<int>(id);
  reinterpret_cast<coordinate*>(v.scratch.cell_coordinates)[id] = cell;
}

void number_all_cells(launcher& to, const problem& p, int edge) {
  const view v(p);
  const dim3 block(number_threads);
  launch(to, clear_cells, dim3(blocks_for(v.scratch.coarse_slots, number_threads)), block, 0, v);
  launch(to, number_cells, dim3(blocks_for(p.rows, number_threads)), block, 0, v, table_of_cells(v.scratch),
         box_of(p, edge));
  end_stage(to, p, v.scratch.cell_count);
}

}  // namespace ablate::kernel_map
