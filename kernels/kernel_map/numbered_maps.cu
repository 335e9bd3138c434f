// The cells of the bitmap matchers, with one pass over the rows less than number_cells.cu and cells.cu. A row
// inserts its cell and sets its place in the map next to the key, in the sector just fetched by the
// insertion. The first row of a cell numbers it; a block draws the numbers of all its new cells with one
// atomic, because additions to one word serialize, 1.3 G a second on an H200: an atomic per warp, as
// published, takes 24 µs for a million rows. Then one thread per cell copies its map to its number's place
// for the matching and overwrites the map with the number: later look-ups find key and number in one access.
// Should move: kernels over all rows, from three to two; atomics on the counter of cells, from one per warp
// to one per block; accesses per neighbor found, from two to one.
#include "kernels/kernel_map/numbered_maps.cuh"

#include <cub/block/block_scan.cuh>

#include "kernels/kernel_map/cell_matches.cuh"

namespace ablate::kernel_map {

namespace {
constexpr int map_threads = 256, map_warps = map_threads / 32;
}

__global__ __launch_bounds__(map_threads) void clear_numbered_maps(view v) {
  const long long i = static_cast<long long>(blockIdx.x) * map_threads + threadIdx.x;
  if (i < v.scratch.coarse_slots) reinterpret_cast<ulonglong2*>(v.scratch.coarse_maps)[i] = {0, 0};
  if (i < 2) v.scratch.cell_count[i] = 0;
  if (i == 0) *v.scratch.table_status = 0;
}

__global__ __launch_bounds__(map_threads) void mark_and_number(view v, numbered_maps cells, cell_box box) {
  __shared__ unsigned firsts[map_warps];
  const long long row = static_cast<long long>(blockIdx.x) * map_threads + threadIdx.x;
  bool mine = false;
  unsigned slot = 0;
  coordinate cell{};
  if (row < v.rows) {
    const coordinate at = v.rows_at[row];
    cell = box.cell_of(at);
    slot = cells.put(cell, mine);
    atomicOr(&cells.cells[slot].places, 1ull << place_in_cell(at));
    v.scratch.cell_of_row[row] = static_cast<int>(slot);
  }
  const unsigned claimed = __ballot_sync(~0u, mine), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) firsts[warp] = __popc(claimed);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (unsigned& first : firsts) {
      const unsigned count = first;
      first = all;
      all += count;
    }
    const unsigned begin = all == 0 ? 0 : atomicAdd(v.scratch.cell_count, all);
    for (unsigned& first : firsts) first += begin;
  }
  __syncthreads();
  if (!mine) return;
  const unsigned id = firsts[warp] + __popc(claimed & ((1u << lane) - 1));
  v.scratch.cell_begin[id] = slot;  // until the beginnings are known
  reinterpret_cast<coordinate*>(v.scratch.cell_coordinates)[id] = cell;
}

/// One thread per cell.
__global__ __launch_bounds__(map_threads) void begin_numbered_cells(view v, numbered_maps cells) {
  using scan = cub::BlockScan<unsigned, map_threads>;
  __shared__ typename scan::TempStorage storage;
  __shared__ unsigned begin;
  const unsigned id = blockIdx.x * map_threads + threadIdx.x, count = v.scratch.cell_count[0];
  if (blockIdx.x * map_threads >= count) return;
  unsigned long long places = 0;
  if (id < count) {
    unsigned long long& of_slot = cells.cells[v.scratch.cell_begin[id]].places;
    places = of_slot;
    of_slot = id;
    v.scratch.cell_bits[id] = places;
  }
  unsigned before, all;
  scan(storage).ExclusiveSum(__popcll(places), before, all);
  if (threadIdx.x == 0) begin = atomicAdd(v.scratch.cell_count + 1, all);
  __syncthreads();
  if (id < count) v.scratch.cell_begin[id] = begin + before;
}

__global__ __launch_bounds__(map_threads) void order_rows_by_slot(view v, const numbered_maps cells) {
  const long long row = static_cast<long long>(blockIdx.x) * map_threads + threadIdx.x;
  if (row >= v.rows) return;
  const int id = cells.number(static_cast<unsigned>(v.scratch.cell_of_row[row]));
  const unsigned long long lower = v.scratch.cell_bits[id] & below(place_in_cell(v.rows_at[row]));
  v.scratch.cell_rows[v.scratch.cell_begin[id] + __popcll(lower)] = static_cast<int>(row);
}

void number_maps(launcher& to, const problem& p) {
  const view v(p);
  const numbered_maps cells = numbered_maps_in(v.scratch);
  const dim3 rows(blocks_for(p.rows, map_threads)), block(map_threads);
  launch(to, clear_numbered_maps, dim3(blocks_for(v.scratch.coarse_slots, map_threads)), block, 0, v);
  launch(to, mark_and_number, rows, block, 0, v, cells, box_of(p, map_edge));
  launch(to, begin_numbered_cells, rows, block, 0, v, cells);
  end_stage(to, p, v.scratch.cell_count);
}

void order_rows_of_maps(launcher& to, const problem& p) {
  const view v(p);
  launch(to, order_rows_by_slot, dim3(blocks_for(p.rows, map_threads)), dim3(map_threads), 0, v,
         numbered_maps_in(v.scratch));
  end_stage(to, p, v.scratch.cell_count);
}

}  // namespace ablate::kernel_map
