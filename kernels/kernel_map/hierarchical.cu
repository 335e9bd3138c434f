// H27, the published hierarchy: a set of occupied cells of 4³ voxels tells which offsets of a row can find
// anything. Each row looks its 27 neighboring cells up and keeps them as bits of a mask; the search of an
// offset begins with its cell's bit and goes to the table of rows only where it is set. Cells per axis: −c …
// c with c = ⌈R / 4⌉, per axis, so kernels of unequal edges have boxes of their own (the published code takes
// the x edge for all three). Should move: probes of the table of rows, from offsets · rows to those that
// survive; 27 probes a row of a small table and a second pass over the offsets' arithmetic come instead.
#include "kernels/kernel_map/coarse_cells.cuh"
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

constexpr int mask_threads = 128, rows_per_block = 64, offsets_per_block = 8;

__global__ __launch_bounds__(mask_threads) void probe_cells(view v, const cell_table table, cell_box box) {
  const long long out = static_cast<long long>(blockIdx.x) * mask_threads + threadIdx.x;
  if (out >= v.outs) return;
  const coordinate cell = cell_of(v.wanted(v.outs_at[out], {0, 0, 0}));
  unsigned mask = 0, bit = 1, looked = 0;
  for (int x = -box.reach[0]; x <= box.reach[0]; ++x)
    for (int y = -box.reach[1]; y <= box.reach[1]; ++y)
      for (int z = -box.reach[2]; z <= box.reach[2]; ++z, bit <<= 1)
        if (table.find(neighbor(cell, x, y, z, v.guards), looked) >= 0) mask |= bit;
  v.scratch.masks[out] = mask;
  if (v.events != nullptr) {
    atomicAdd(v.events + queries, 1ull);
    atomicAdd(v.events + coarse_probes, static_cast<unsigned long long>(looked));
  }
}

template <class Table, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_occupied(view v, const Table in,
                                                                                     cell_box box) {
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  if (out >= v.outs || q >= v.offsets) return;
  tally<Instrumented> events;
  const coordinate centre = v.wanted(v.outs_at[out], {0, 0, 0});
  const int3 o = v.offset(q);
  coordinate c = {centre.x, centre.y + o.x, centre.z + o.y, centre.w + o.z};
  const coordinate from = cell_of(centre), to = cell_of(c);
  const int bit = box.index(to.y - from.y, to.z - from.z, to.w - from.w);
  int row = -1;
  if (v.scratch.masks[out] >> bit & 1) {
    events.add(survivors);
    if (hash_table::admissible(c, v.guards)) {
      auto way = in.start(c);
      row = in.find(way);
      events.add(probes, way.looked + 1);
    }
  }
  if (row >= 0) events.add(pairs);
  v.scratch.dense[q * v.outs + out] = row;
  events.write(v.events);
}

template <class Table>
void map_hierarchical(launcher& to, const problem& p) {
  if (p.does(phase::coarse)) number_all_cells(to, p);
  if (p.does(phase::build)) build_rows<Table>(to, p);
  if (p.does(phase::map)) {
    const cell_box box = box_of(p);
    launch(to, probe_cells, dim3(blocks_for(p.outs, mask_threads)), dim3(mask_threads), 0, view(p),
           cell_table(scratch(p)), box);
    with_form(p, [&](auto instrumented) {
      launch(to, search_occupied<Table, instrumented>,
             dim3(blocks_for(p.outs, rows_per_block), blocks_for(p.offsets(), offsets_per_block)),
             dim3(rows_per_block, offsets_per_block), 0, view(p), Table(row_problem(p)), box);
    });
    lists_from_dense(to, p);
    end_map(to, p);
  }
  if (p.does(phase::read_back)) sum_digests(to, p);
}

void hierarchical(launcher& to, const problem& p, const switches&) { map_hierarchical<packed_rows>(to, p); }

}  // namespace ablate::kernel_map
