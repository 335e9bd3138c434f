// Beside each key, the cell table holds a 64-bit map of the occupied places of a cell of 4³ voxels, made with
// one OR per row. A block looks up the cells of 64 rows' boxes, only those that a row's offsets reach from
// its place, and keeps the maps in shared memory. An offset is then a shift, an AND and a bit: no probe of
// the row table misses, no mask goes through memory, and there is no second pass over the rows. Each thread
// has four searches in flight (two rows, two offsets), since few lanes of a warp have one. Should move:
// probes, from the survivors to own box + pairs. `symmetric` searches only the offsets before the middle one,
// which reach no cell above along x.
#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

constexpr int bitmap_threads = 256, rows_of_bitmap_block = 64, warps_of_bitmap_block = bitmap_threads / 32;

__global__ __launch_bounds__(bitmap_threads) void clear_maps(view v) {
  const long long i = static_cast<long long>(blockIdx.x) * bitmap_threads + threadIdx.x;
  if (i < v.scratch.coarse_slots) reinterpret_cast<ulonglong2*>(v.scratch.coarse_maps)[i] = {0, 0};
}

__global__ __launch_bounds__(bitmap_threads) void map_rows(view v, const bitmap_table cells, cell_box box) {
  const long long row = static_cast<long long>(blockIdx.x) * bitmap_threads + threadIdx.x;
  if (row >= v.rows) return;
  const coordinate at = v.rows_at[row];
  bool mine;
  const unsigned slot = cells.put(box.cell_of(at), mine);
  atomicOr(&cells.cells[slot].places, 1ull << place_in_cell(at));
}

/// An offset as staged in shared memory.
struct staged_offset {
  short x, y, z;
};

template <class Table, bool Instrumented>
__global__ __launch_bounds__(bitmap_threads) void search_maps(view v, const Table in,
                                                              const bitmap_table cells, cell_box box,
                                                              int searched) {
  extern __shared__ unsigned long long maps[];  // [cells of the box][rows of the block]
  auto* const offsets =
      reinterpret_cast<staged_offset*>(maps + box.cells() * rows_of_bitmap_block);  // [searched]
  const long long first_out = static_cast<long long>(blockIdx.x) * rows_of_bitmap_block;
  tally<Instrumented> events;

  const int slot_of_row = static_cast<int>(threadIdx.x) % rows_of_bitmap_block;
  if (first_out + slot_of_row < v.outs) {
    const coordinate at = v.wanted(v.outs_at[first_out + slot_of_row], {0, 0, 0}), home = box.cell_of(at);
    unsigned looked = 0;
    for (int i = static_cast<int>(threadIdx.x) / rows_of_bitmap_block; i < box.cells();
         i += bitmap_threads / rows_of_bitmap_block) {
      const int3 d = box.cell(i);
      maps[i * rows_of_bitmap_block + slot_of_row] =
          box.reaches(at, d) ? cells.find(neighbor(home, d, box.shift, v.guards), looked) : 0;
    }
    events.add(coarse_probes, looked);
    if (threadIdx.x < rows_of_bitmap_block) {
      events.add(queries);
      if (searched < v.offsets) events.add(pairs);  // the row with itself, which is not searched
    }
  }
  for (int q = static_cast<int>(threadIdx.x); q < searched; q += bitmap_threads) {
    const int3 o = v.offset(q);
    offsets[q] = {static_cast<short>(o.x), static_cast<short>(o.y), static_cast<short>(o.z)};
  }
  __syncthreads();

  constexpr int rows_in_flight = rows_of_bitmap_block / 32, offsets_in_flight = 2;
  constexpr int in_flight = rows_in_flight * offsets_in_flight;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  coordinate centre[rows_in_flight] = {};
  for (int k = 0; k < rows_in_flight; ++k)
    if (first_out + k * 32 + lane < v.outs)
      centre[k] = v.wanted(v.outs_at[first_out + k * 32 + lane], {0, 0, 0});
  for (int first_q = warp; first_q < searched; first_q += offsets_in_flight * warps_of_bitmap_block) {
    typename Table::visit way[in_flight] = {};
    int row[in_flight];
    bool asks[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const int q = first_q + k / rows_in_flight * warps_of_bitmap_block;
      const int slot = k % rows_in_flight * 32 + lane;
      asks[k] = false;
      if (q >= searched || first_out + slot >= v.outs) continue;
      const coordinate from = centre[k % rows_in_flight];
      const staged_offset o = offsets[q];
      coordinate c = {from.x, from.y + o.x, from.z + o.y, from.w + o.z};
      const coordinate home = box.cell_of(from), there = box.cell_of(c);
      const int cell = box.index(there.y - home.y, there.z - home.z, there.w - home.w);
      const unsigned long long places = maps[cell * rows_of_bitmap_block + slot];
      if (places != 0) events.add(survivors);
      asks[k] = (places >> place_in_cell(c) & 1) != 0 && hash_table::admissible(c, v.guards);
      if (asks[k]) way[k] = in.start(c);
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) row[k] = asks[k] ? in.look(way[k]) : hash_table::slot_empty;
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const int q = first_q + k / rows_in_flight * warps_of_bitmap_block;
      const long long out = first_out + k % rows_in_flight * 32 + lane;
      if (q >= searched || out >= v.outs) continue;
      row[k] = hash_table::follow(in, way[k], row[k]);
      if (asks[k]) events.add(probes, way[k].looked + 1);
      if (row[k] >= 0) events.add(pairs, searched < v.offsets ? 2 : 1);
      v.scratch.dense[q * v.outs + out] = row[k];
    }
  }
  events.write(v.events);
}

void map_with_bitmaps(launcher& to, const problem& p, searched_offsets which) {
  const view v(p);
  const bitmap_table cells = bitmaps_in(v.scratch);
  const cell_box box = box_of(p, map_edge, which);
  const dim3 block(bitmap_threads);
  run_pruned(
      to, p, which,
      [&] {
        launch(to, clear_maps, dim3(blocks_for(v.scratch.coarse_slots, bitmap_threads)), block, 0, v);
        launch(to, map_rows, dim3(blocks_for(p.rows, bitmap_threads)), block, 0, v, cells, box);
        end_stage(to, p, v.scratch.coarse_maps);
      },
      [&] {
        const int searched = count_of(p, which);
        const std::size_t bytes = box.cells() * rows_of_bitmap_block * sizeof(unsigned long long) +
                                  searched * sizeof(staged_offset);
        with_form(p, [&](auto instrumented) {
          launch(to, search_maps<packed_rows, instrumented>, dim3(blocks_for(p.outs, rows_of_bitmap_block)),
                 block, bytes, v, packed_rows(row_problem(p)), cells, box, searched);
        });
      });
}

}  // namespace ablate::kernel_map
