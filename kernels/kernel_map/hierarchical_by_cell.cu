// As hierarchical.cu up to the mask; then, instead of every offset testing its cell's bit, each set bit
// enumerates the offsets in its cell: along each axis those between ⌈(d · S − r − first) / δ⌉ and
// the cell's other end, for a row at place r. Offsets of empty cells cost no thread and no instruction; the
// dense table is filled with −1 beforehand, and only hits are stored, each in its own sector. A block is 64
// rows by 8 threads that take turns on a row's occupied cells. Should move: instructions, from offsets ·
// rows to the survivors; the lanes of a warp are at different offsets, so their stores no longer share
// sectors.

#include "kernels/common/min_max.h"
#include "kernels/kernel_map/grid.cuh"
#include "kernels/kernel_map/probe_cells.cuh"

namespace ablate::kernel_map {

constexpr int fill_threads = 256;

__global__ __launch_bounds__(fill_threads) void fill_with_no_row(int* dense, long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * fill_threads;
  for (long long i = static_cast<long long>(blockIdx.x) * fill_threads + threadIdx.x; i < count; i += threads)
    dense[i] = -1;
}

/// Kernel indices along one axis: `count` from `first` on.
struct index_range {
  int first, count;
};

/// The indices whose offsets lead from a voxel to the cell at distance d along the axis.
__device__ inline index_range indices_in_cell(const view& v, const cell_box& box, int axis, int voxel,
                                              int d) {
  const int edge = 1 << box.shift, step = v.dilation[axis];
  const int begin = d * edge - (voxel & (edge - 1)) - box.first[axis], end = begin + edge - 1;
  if (end < 0) return {0, 0};
  const int first = begin <= 0 ? 0 : (begin + step - 1) / step, last = min(v.kernel[axis] - 1, end / step);
  return {first, max(0, last - first + 1)};
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_cells(view v, const Table in,
                                                                                  cell_box box) {
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  if (out >= v.outs) return;
  tally<Instrumented> events;
  const coordinate mine = v.outs_at[out], centre = v.wanted(mine, {0, 0, 0});
  unsigned turn = 0;
  for (unsigned left = v.scratch.masks[out]; left != 0; left &= left - 1, ++turn) {
    if (turn % offsets_per_block != threadIdx.y) continue;
    const int3 d = box.cell(__ffs(static_cast<int>(left)) - 1);
    const index_range x = indices_in_cell(v, box, 0, centre.y, d.x),
                      y = indices_in_cell(v, box, 1, centre.z, d.y),
                      z = indices_in_cell(v, box, 2, centre.w, d.z);
    int ix = x.first, iy = y.first, iz = z.first;
    // One loop, not three: the lanes' index ranges differ.
    const int inside = x.count * y.count * z.count;
    events.add(survivors, inside);
    for (int i = 0; i < inside; ++i) {
      const int q = (ix * v.kernel[1] + iy) * v.kernel[2] + iz;
      const int3 o = {box.first[0] + ix * v.dilation[0], box.first[1] + iy * v.dilation[1],
                      box.first[2] + iz * v.dilation[2]};
      const int row = find_row(v, in, mine, o, events);
      if (row >= 0) {
        events.add(pairs);
        v.scratch.dense[q * v.outs + out] = row;
      }
      if (++iz < z.first + z.count) continue;
      iz = z.first;
      if (++iy < y.first + y.count) continue;
      iy = y.first;
      ++ix;
    }
  }
  events.write(v.events);
}

void map_by_enumerated_cells(launcher& to, const problem& p, int edge, probed_cells probed) {
  const cell_box box = box_of(p, edge);
  const view v(p);
  run_pruned(
      to, p, searched_offsets::all, [&] { number_all_cells(to, p, edge); },
      [&] {
        const long long entries = p.offsets() * p.outs;
        const unsigned max_blocks = 8 * static_cast<unsigned>(to.device().multiprocessors);
        launch(to, fill_with_no_row, dim3(std::min(max_blocks, blocks_for(entries, fill_threads))),
               dim3(fill_threads), 0, v.scratch.dense, entries);
        probe_all_cells(to, p, table_of_cells(v.scratch), box, probed, searched_offsets::all);
        with_form(p, [&](auto instrumented) {
          launch(to, search_cells<packed_rows, instrumented>, dim3(blocks_for(p.outs, rows_per_block)),
                 dim3(rows_per_block, offsets_per_block), 0, v, packed_rows(row_problem(p)), box);
        });
      });
}

}  // namespace ablate::kernel_map
