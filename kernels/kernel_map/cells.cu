// Kernel maps from bitmaps of 4³ cells, with no voxel table. Build: each occupied cell gets a number, a
// 64-bit map of its occupied places (one OR per voxel) and its rows in bit order, so a voxel's row is at
// begin + popcount of the bits below it. Map: each cell looks up its neighbors once and keeps their numbers.
// A block takes 32 cells, one per lane, and stages their neighbors' maps in shared memory. At an offset, the
// places with a partner are the cell's own bits AND the neighbors' bits shifted by the offset: along an
// axis, an offset of 4 · d + r moves places p < 4 − r into cell d and the others into d + 1, so at most
// eight neighbors are shifted and masked, by amounts uniform across threads. A popcount gives the pairs per
// cell and offset. A first pass counts them, sums over groups of cells and offsets give each group its
// places in every list, and a second pass writes the pairs. No pair takes a probe. Should move: L2 sectors,
// from one random sector per row and offset to one or two per neighboring cell plus 8 bytes per pair, in
// exchange for bit arithmetic.
//
// The counters of the first version showed three bottlenecks. Both passes looked up the neighbors; now one
// kernel does, and the passes read coalesced numbers. One block summed all groups for 32 offsets; now each
// block sums 64 groups, and one block then sums their totals. And each lane wrote the pairs of its own cell
// one by one, so a dense cell held up its warp and the lanes' stores were scattered; now the pairs of the 32
// cells are dealt to the lanes in turn. A lane finds its pair's cell in the prefix sums and the place by its
// rank among the cell's bits, so stores are coalesced whatever the cells hold. With few cells, several
// blocks share the offsets of the same cells. cell_lines.cu matches whole lines of offsets instead.
#include <cub/block/block_scan.cuh>

#include "kernels/kernel_map/cell_matches.cuh"

namespace ablate::kernel_map {

namespace {

constexpr int row_threads = 256, match_threads = 256, match_warps = match_threads / 32;

/// One of the two parts of an offset o = 4 · d + r along an axis: places that land in cell d, moved up by r,
/// or those that land in cell d + 1, moved down by 4 − r.
struct axis_part {
  int cell, move;
  unsigned long long places;  ///< as bits of a cell's map
};

__device__ axis_part part_of(int o, int shift, bool goes_on, int weight) {
  const int d = o >> shift, r = o & (map_edge - 1);
  axis_part part{d + goes_on, r - goes_on * map_edge, 0};
  for (int place = 0; place < map_edge; ++place) {
    if ((place + r >= map_edge) != goes_on) continue;
    // All bits at this place along the axis.
    const unsigned long long line = weight == 16  ? 0x000000000000ffffull << 16 * place
                                    : weight == 4 ? 0x000f000f000f000full << 4 * place
                                                  : 0x1111111111111111ull << place;
    part.places |= line;
  }
  return part;
}

__device__ contribution contribution_of(const cell_box& box, const int3& o, int corner) {
  const axis_part x = part_of(o.x, box.shift, corner & 1, 16),
                  y = part_of(o.y, box.shift, corner >> 1 & 1, 4),
                  z = part_of(o.z, box.shift, corner >> 2 & 1, 1);
  const unsigned long long places = x.places & y.places & z.places;
  return {places, places == 0 ? 0 : box.index(x.cell, y.cell, z.cell), x.move * 16 + y.move * 4 + z.move};
}

__device__ unsigned long long moved(unsigned long long bits, int move) {
  return move >= 0 ? bits >> move : bits << -move;
}

/// Work items of both passes, taken by blocks in turn: a group of 32 cells and a slice of the offsets. There
/// are as many slices as fit without giving any block a second item.
struct work_items {
  unsigned cells, groups, slices;

  __device__ work_items(const view& v) : cells(v.scratch.cell_count[0]), groups((cells + 31) / 32) {
    const unsigned most = (static_cast<unsigned>(v.offsets) + match_warps - 1) / match_warps;
    slices = groups == 0 ? 0 : max(1u, min(most, gridDim.x / groups));
  }
  __device__ unsigned count() const { return groups * slices; }
};

}  // namespace

__global__ __launch_bounds__(row_threads) void mark_places(view v, cell_table cells) {
  const long long row = static_cast<long long>(blockIdx.x) * row_threads + threadIdx.x;
  if (row >= v.rows) return;
  const int id = cells.ids[v.scratch.cell_of_row[row]];
  v.scratch.cell_of_row[row] = id;
  atomicOr(reinterpret_cast<unsigned long long*>(v.scratch.cell_bits) + id,
           1ull << place_in_cell(v.rows_at[row]));
}

__global__ __launch_bounds__(row_threads) void begin_cells(view v) {
  using scan = cub::BlockScan<unsigned, row_threads>;
  __shared__ typename scan::TempStorage storage;
  __shared__ unsigned begin;
  const unsigned id = blockIdx.x * row_threads + threadIdx.x, cells = v.scratch.cell_count[0];
  if (blockIdx.x * row_threads >= cells) return;
  unsigned before, all;
  scan(storage).ExclusiveSum(id < cells ? __popcll(v.scratch.cell_bits[id]) : 0, before, all);
  if (threadIdx.x == 0) begin = atomicAdd(v.scratch.cell_count + 1, all);
  __syncthreads();
  if (id < cells) v.scratch.cell_begin[id] = begin + before;
}

__global__ __launch_bounds__(row_threads) void order_rows(view v) {
  const long long row = static_cast<long long>(blockIdx.x) * row_threads + threadIdx.x;
  if (row >= v.rows) return;
  const int id = v.scratch.cell_of_row[row];
  const unsigned long long lower = v.scratch.cell_bits[id] & below(place_in_cell(v.rows_at[row]));
  v.scratch.cell_rows[v.scratch.cell_begin[id] + __popcll(lower)] = static_cast<int>(row);
}

/// One thread per offset.
__global__ __launch_bounds__(row_threads) void plan_offsets(view v, cell_box box) {
  const int q = static_cast<int>(blockIdx.x * row_threads + threadIdx.x);
  if (q >= v.offsets) return;
  const int3 o = v.offset(q);
  offset_plan plan{{}, o.x, o.y, o.z, 0};
  for (int corner = 0; corner < contributions_per_offset; ++corner) {
    const contribution part = contribution_of(box, o, corner);
    if (part.places != 0) plan.parts[plan.used++] = part;
  }
  v.scratch.plans[q] = plan;
}

/// Blocks take work items in turn; a block's warps split the slice's offsets.
/// Shared memory: the maps of each cell's neighbors and where their rows begin.
template <list_pass Pass, bool Instrumented>
__global__ __launch_bounds__(match_threads, resident_match_blocks) void match_cells(view v, cell_box box) {
  constexpr bool writes = Pass == list_pass::write;
  extern __shared__ unsigned long long shared[];
  const int neighbors = box.cells(), own = box.index(0, 0, 0);
  auto* const bits = shared;                                                // [neighbors][32]
  auto* const begins = reinterpret_cast<unsigned*>(bits + neighbors * 32);  // [neighbors][32]
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  tally<Instrumented> events;

  const work_items work(v);
  for (unsigned item = blockIdx.x; item < work.count(); item += gridDim.x) {
    const unsigned group = item / work.slices, slice = item % work.slices;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < neighbors * 32; i += match_threads) {
      const unsigned id = group * 32 + lane;
      const int other = id < work.cells ? v.scratch.dense[i / 32 * v.rows + id] : -1;
      bits[i] = other < 0 ? 0 : v.scratch.cell_bits[other];
      if (writes) begins[i] = other < 0 ? 0 : v.scratch.cell_begin[other];
    }
    __syncthreads();
    const unsigned long long mine = bits[own * 32 + lane];
    if (!writes && warp == 0 && slice == 0) events.add(queries, __popcll(mine));
    for (int q = static_cast<int>(slice * match_warps + warp); q < v.offsets;
         q += static_cast<int>(work.slices * match_warps)) {
      const offset_plan& plan = v.scratch.plans[q];
      unsigned long long hit = 0;
      for (int k = 0; k < plan.used; ++k) {
        const contribution part = plan.parts[k];
        hit |= part.places & moved(bits[part.neighbor * 32 + lane], part.move);
      }
      hit &= mine;
      const unsigned found = __popcll(hit);
      const long long count_at = static_cast<long long>(group) * v.offsets + q;
      if (!writes) {
        const unsigned all = __reduce_add_sync(~0u, found);
        if (lane == 0) v.scratch.block_counts[count_at] = all;
        events.add(pairs, found);
        continue;
      }
      unsigned up_to = found;
#pragma unroll
      for (int other = 1; other < 32; other *= 2) {
        const unsigned before = __shfl_up_sync(~0u, up_to, other);
        if (lane >= static_cast<unsigned>(other)) up_to += before;
      }
      const unsigned all = __shfl_sync(~0u, up_to, 31);
      const long long chunk_at = static_cast<long long>(group / groups_per_chunk) * v.offsets + q;
      const long long first_place =
          v.ends[q] + v.scratch.chunk_counts[chunk_at] + v.scratch.block_counts[count_at];
      for (unsigned first = 0; first < all; first += 32) {
        // The pair's cell: the first whose inclusive sum exceeds it.
        const unsigned pair = first + lane;
        unsigned cell = 0;
#pragma unroll
        for (unsigned width = 16; width > 0; width /= 2)
          if (pair >= __shfl_sync(~0u, up_to, cell + width - 1)) cell += width;
        const unsigned before = __shfl_sync(~0u, up_to - found, cell);
        const unsigned long long places = __shfl_sync(~0u, hit, cell);
        const long long at = first_place + pair;
        if (pair >= all || at >= v.capacity) continue;
        const int place = place_of_rank(places, static_cast<int>(pair - before));
        const int x = (place >> 4) + plan.x, y = (place >> 2 & 3) + plan.y, z = (place & 3) + plan.z;
        const int partner = place_in_cell({0, x, y, z});
        const int there = box.index(x >> box.shift, y >> box.shift, z >> box.shift) * 32 + cell;
        const int here = own * 32 + cell;
        v.in_rows[at] = v.scratch.cell_rows[begins[there] + __popcll(bits[there] & below(partner))];
        v.out_rows[at] = v.scratch.cell_rows[begins[here] + __popcll(bits[here] & below(place))];
      }
    }
  }
  events.write(v.events);
}

template <list_pass Pass>
void match(launcher& to, const problem& p) {
  const cell_box box = box_of(p, map_edge);
  const std::size_t bytes = box.cells() * 32 * (sizeof(unsigned long long) + sizeof(unsigned));
  with_form(p, [&](auto instrumented) {
    launch(to, match_cells<Pass, instrumented>, dim3(match_blocks(to, p)), dim3(match_threads), bytes,
           view(p), box);
  });
}

void order_numbered_rows(launcher& to, const problem& p) {
  const view v(p);
  const dim3 rows(blocks_for(p.rows, row_threads)), block(row_threads);
  launch(to, mark_places, rows, block, 0, v, table_of_cells(v.scratch));
  launch(to, begin_cells, rows, block, 0, v);
  launch(to, order_rows, rows, block, 0, v);
  end_stage(to, p, v.scratch.cell_count);
}

void map_cells_by_offsets(launcher& to, const problem& p, cell_numbering numbering) {
  const view v(p);
  const cell_box box = box_of(p, map_edge);
  launch(to, plan_offsets, dim3(blocks_for(p.offsets(), row_threads)), dim3(row_threads), 0, v, box);
  find_all_neighbors(to, p, numbering, box);
  match<list_pass::count>(to, p);
  sum_group_counts(to, p, p.offsets());
  sum_counts(to, p);
  match<list_pass::write>(to, p);
  end_map(to, p);
}

}  // namespace ablate::kernel_map
