// The published hierarchy: a set of occupied cells of S³ voxels (S = 4; the switch `coarse_stride`) rules out
// offsets of a row. Each row looks up its 27 neighboring cells and keeps them as bits of a mask; the search
// of an offset first tests its cell's bit and probes the row table only if it is set. Per axis, the cells
// within reach from any place in a cell are −c … c with c = ⌈R / S⌉ for odd kernels, so non-cubic kernels
// have their own boxes (the published code uses the x edge for all three). Should move: row-table probes,
// from offsets · rows to the survivors, in exchange for 27 probes per row of a small table and a second pass
// over the offset arithmetic. `own_box` skips cells out of reach from the row's own place, which leaves (k +
// S − 1) / S cells per axis on average. `symmetric` searches only the offsets before the middle one; they
// reach no cell above along x, 18 of 27. The opposite lists are the same pairs, swapped.
#include "kernels/kernel_map/grid.cuh"
#include "kernels/kernel_map/probe_cells.cuh"

namespace ablate::kernel_map {

template <class Table, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_occupied(view v, const Table in,
                                                                                     cell_box box,
                                                                                     int searched) {
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  if (out >= v.outs || q >= searched) return;
  tally<Instrumented> events;
  const coordinate mine = v.outs_at[out], centre = v.wanted(mine, {0, 0, 0});
  const int3 o = v.offset(q);
  const coordinate from = box.cell_of(centre), to = box.cell_of(v.wanted(mine, o));
  const int bit = box.index(to.y - from.y, to.z - from.z, to.w - from.w);
  int row = -1;
  if (v.scratch.masks[out] >> bit & 1) {
    events.add(survivors);
    row = find_row(v, in, mine, o, events);
  }
  if (row >= 0) events.add(pairs, searched < v.offsets ? 2 : 1);
  v.scratch.dense[q * v.outs + out] = row;
  events.write(v.events);
}

/// Fills the dense table by scratch.masks: looks up an offset in the row table only if its cell's bit is
/// set.
void search_occupied_cells(launcher& to, const problem& p, const cell_box& box, searched_offsets which) {
  const int searched = count_of(p, which);
  with_form(p, [&](auto instrumented) {
    launch(to, search_occupied<packed_rows, instrumented>, grid_over(p.outs, searched), view(p),
           packed_rows(row_problem(p)), box, searched);
  });
}

void map_by_occupied_cells(launcher& to, const problem& p, int edge, probed_cells probed,
                           searched_offsets which) {
  const cell_box box = box_of(p, edge, which);
  run_pruned(
      to, p, which, [&] { number_all_cells(to, p, edge); },
      [&] {
        probe_all_cells(to, p, table_of_cells(scratch(p)), box, probed, which);
        search_occupied_cells(to, p, box, which);
      });
}

}  // namespace ablate::kernel_map
