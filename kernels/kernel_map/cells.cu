// Kernel maps from bitmaps of 4³ cells, without a table of voxels. Build: occupied cells get numbers, each
// with a 64-bit map of its places (an OR a voxel) and its rows in the order of the bits, so the row of a
// voxel is begin + popcount of the bits below it. Map: the maps of the cells around 32 cells stand in
// shared memory, a lane a cell. For one offset, the places whose partner exists are the cell's own bits AND
// the neighbors' bits shifted by the offset: an axis of the offset, 4 · d + r, moves places p < 4 − r into
// cell d and the others into d + 1, so at most eight neighbors are shifted and masked, by numbers that are
// the same for all threads. A population count gives the pairs of a cell and offset; a first pass counts
// them, block by block, a sum over blocks and offsets gives every block its places in every list, and a
// second pass writes the pairs. No probe is sent for a pair: a cell looks up its neighbors once. Should move:
// L2 sectors, from one random sector a row and offset to one or two a neighboring cell and 8 bytes a pair;
// arithmetic on bits comes instead.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

namespace {

constexpr int row_threads = 256, match_threads = 256;
constexpr int column_width = 32, column_parts = 32;

/// Along one axis, the two parts of an offset o = 4 · d + r: places that stay in cell d and move up by r, and
/// those that go on to cell d + 1 and move down by 4 − r.
struct axis_part {
  int cell, move;
  unsigned long long places;  ///< as bits of a cell's map
};

__device__ axis_part part_of(int o, bool goes_on, int weight) {
  const int d = o >> cell_shift, r = o & (cell_edge - 1);
  axis_part part{d + goes_on, r - goes_on * cell_edge, 0};
  for (int place = 0; place < cell_edge; ++place) {
    if ((place + r >= cell_edge) != goes_on) continue;
    // All bits whose place on this axis is the given one.
    const unsigned long long line = weight == 16  ? 0x000000000000ffffull << 16 * place
                                    : weight == 4 ? 0x000f000f000f000full << 4 * place
                                                  : 0x1111111111111111ull << place;
    part.places |= line;
  }
  return part;
}

__device__ contribution contribution_of(const cell_box& box, const int3& o, int corner) {
  const axis_part x = part_of(o.x, corner & 1, 16), y = part_of(o.y, corner >> 1 & 1, 4),
                  z = part_of(o.z, corner >> 2 & 1, 1);
  const unsigned long long places = x.places & y.places & z.places;
  return {places, places == 0 ? 0 : box.index(x.cell, y.cell, z.cell), x.move * 16 + y.move * 4 + z.move};
}

__device__ unsigned long long moved(unsigned long long bits, int move) {
  return move >= 0 ? bits >> move : bits << -move;
}

}  // namespace

__global__ __launch_bounds__(row_threads) void clear_cells(view v) {
  const long long i = static_cast<long long>(blockIdx.x) * row_threads + threadIdx.x;
  if (i < v.scratch.coarse_slots) v.scratch.coarse_keys[i] = 0;
  if (i < v.rows) v.scratch.cell_bits[i] = 0;
  if (i < 2) v.scratch.cell_count[i] = 0;
  if (i == 0) *v.scratch.table_status = 0;
}

/// Every cell of a row is put into the table; who puts it in gives it a number.
__global__ __launch_bounds__(row_threads) void number_cells(view v, cell_table cells) {
  const long long row = static_cast<long long>(blockIdx.x) * row_threads + threadIdx.x;
  bool mine = false;
  unsigned slot = 0;
  coordinate cell{};
  if (row < v.rows) {
    cell = cell_of(v.rows_at[row]);
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
  const unsigned long long below = (1ull << place_in_cell(v.rows_at[row])) - 1;
  v.scratch.cell_rows[v.scratch.cell_begin[id] + __popcll(v.scratch.cell_bits[id] & below)] =
      static_cast<int>(row);
}

/// The contributions of every offset: one thread an offset.
__global__ __launch_bounds__(row_threads) void plan_offsets(view v, cell_box box) {
  const int q = static_cast<int>(blockIdx.x * row_threads + threadIdx.x);
  if (q >= v.offsets) return;
  contribution* const mine = v.scratch.contributions + q * contributions_per_offset;
  int used = 0;
  for (int corner = 0; corner < contributions_per_offset; ++corner) {
    const contribution part = contribution_of(box, v.offset(q), corner);
    if (part.places != 0) mine[used++] = part;
  }
  for (; used < contributions_per_offset; ++used) mine[used] = {};
}

/// A block takes groups of 32 cells, a lane each; the warps share the offsets. `Writes`: the second pass, in
/// which an offset's places in its list follow from the blocks and groups before, without an atomic, since
/// the same warp has it in every group. Shared memory: for each cell of the group the maps of its neighbors
/// and where their rows begin; for the block its counts of the offsets, or its next places.
template <bool Writes, bool Instrumented>
__global__ __launch_bounds__(match_threads) void match_cells(view v, const cell_table table, cell_box box,
                                                             int groups) {
  extern __shared__ unsigned long long shared[];
  const unsigned cells = v.scratch.cell_count[0];
  const unsigned first_cell = blockIdx.x * groups * 32;
  if (first_cell >= cells) return;
  const int neighbors = box.cells(), own = box.index(0, 0, 0);
  auto* const bits = shared;                                                // [neighbors][32]
  auto* const begins = reinterpret_cast<unsigned*>(bits + neighbors * 32);  // [neighbors][32]
  auto* const tallied = begins + neighbors * 32;                            // [offsets]
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  tally<Instrumented> events;

  std::uint32_t* const of_block = v.scratch.block_counts + static_cast<long long>(blockIdx.x) * v.offsets;
  for (int q = static_cast<int>(threadIdx.x); q < v.offsets; q += match_threads)
    tallied[q] = Writes ? of_block[q] : 0;
  for (int group = 0; group < groups && first_cell + group * 32 < cells; ++group) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < neighbors * 32; i += match_threads) {
      const unsigned id = first_cell + group * 32 + lane;
      unsigned looked = 0;
      int other = -1;
      if (id < cells) {
        const coordinate at = reinterpret_cast<const coordinate*>(v.scratch.cell_coordinates)[id];
        const int3 d = box.cell(i / 32);
        other =
            i / 32 == own ? static_cast<int>(id) : table.find(neighbor(at, d.x, d.y, d.z, v.guards), looked);
      }
      bits[i] = other < 0 ? 0 : v.scratch.cell_bits[other];
      if (Writes) begins[i] = other < 0 ? 0 : v.scratch.cell_begin[other];
      if (!Writes) events.add(coarse_probes, looked);
    }
    __syncthreads();
    const unsigned long long mine = bits[own * 32 + lane];
    const std::int32_t* const my_rows = v.scratch.cell_rows + (Writes ? begins[own * 32 + lane] : 0);
    if (!Writes && warp == 0) events.add(queries, __popcll(mine));
    for (int q = static_cast<int>(warp); q < v.offsets; q += match_threads / 32) {
      const contribution* const parts = v.scratch.contributions + q * contributions_per_offset;
      unsigned long long hit[contributions_per_offset];
      unsigned found = 0;
#pragma unroll
      for (int k = 0; k < contributions_per_offset; ++k) {
        hit[k] = mine & parts[k].places & moved(bits[parts[k].neighbor * 32 + lane], parts[k].move);
        found += __popcll(hit[k]);
      }
      if (!Writes) {
        const unsigned all = __reduce_add_sync(~0u, found);
        if (lane == 0) tallied[q] += all;
        events.add(pairs, found);
        continue;
      }
      unsigned up_to = found;
#pragma unroll
      for (int other = 1; other < 32; other *= 2) {
        const unsigned before = __shfl_up_sync(~0u, up_to, other);
        if (lane >= static_cast<unsigned>(other)) up_to += before;
      }
      const unsigned first = tallied[q];
      __syncwarp();
      if (lane == 31) tallied[q] = first + up_to;
      long long place = v.ends[q] + first + up_to - found;
#pragma unroll
      for (int k = 0; k < contributions_per_offset; ++k) {
        if (hit[k] == 0) continue;
        const int at = parts[k].neighbor * 32 + static_cast<int>(lane);
        const unsigned long long others = bits[at];
        const std::int32_t* const their_rows = v.scratch.cell_rows + begins[at];
        for (unsigned long long left = hit[k]; left != 0; left &= left - 1, ++place) {
          const int bit = __ffsll(static_cast<long long>(left)) - 1, partner = bit + parts[k].move;
          if (place >= v.capacity) continue;
          v.in_rows[place] = their_rows[__popcll(others & ((1ull << partner) - 1))];
          v.out_rows[place] = my_rows[__popcll(mine & ((1ull << bit) - 1))];
        }
      }
    }
  }
  __syncthreads();
  if (!Writes)
    for (int q = static_cast<int>(threadIdx.x); q < v.offsets; q += match_threads) of_block[q] = tallied[q];
  events.write(v.events);
}

/// Counts of the blocks → what the blocks before have of the same offset, and the counts of the lists.
__global__ __launch_bounds__(column_width* column_parts) void sum_blocks(view v, int groups) {
  __shared__ unsigned part_sum[column_parts][column_width];
  const int lane = static_cast<int>(threadIdx.x % column_width);
  const int part = static_cast<int>(threadIdx.x / column_width);
  const int q = static_cast<int>(blockIdx.x) * column_width + lane;
  const bool here = q < v.offsets;
  const unsigned per_block = 32u * groups;
  const int rows = static_cast<int>((v.scratch.cell_count[0] + per_block - 1) / per_block);
  const int first = static_cast<int>(static_cast<long long>(rows) * part / column_parts);
  const int end = static_cast<int>(static_cast<long long>(rows) * (part + 1) / column_parts);
  unsigned sum = 0;
#pragma unroll 4
  for (int row = first; row < end; ++row)
    if (here) sum += v.scratch.block_counts[static_cast<long long>(row) * v.offsets + q];
  part_sum[part][lane] = sum;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (int other = 0; other < column_parts; ++other) {
    if (other < part) before += part_sum[other][lane];
    all += part_sum[other][lane];
  }
  if (part == 0 && here) v.scratch.counts[q] = all;
#pragma unroll 4
  for (int row = first; row < end; ++row) {
    if (!here) continue;
    std::uint32_t& cell = v.scratch.block_counts[static_cast<long long>(row) * v.offsets + q];
    const unsigned count = cell;
    cell = before;
    before += count;
  }
}

/// Groups of 32 cells that a block takes, so that there are not too many blocks to sum over.
int groups_per_block(const problem& p) {
  constexpr std::int64_t wanted_blocks = 8192;  // if every row had a cell of its own
  return static_cast<int>(std::max<std::int64_t>(1, p.rows / (32 * wanted_blocks)));
}

template <bool Writes>
void match(launcher& to, const problem& p) {
  const cell_box box = box_of(p);
  const int groups = groups_per_block(p);
  const std::size_t bytes =
      box.cells() * 32 * (sizeof(unsigned long long) + sizeof(unsigned)) + p.offsets() * sizeof(unsigned);
  with_form(p, [&](auto instrumented) {
    launch(to, match_cells<Writes, instrumented>, dim3(blocks_for(p.rows, 32 * groups)), dim3(match_threads),
           bytes, view(p), cell_table(scratch(p)), box, groups);
  });
}

void number_all_cells(launcher& to, const problem& p) {
  const view v(p);
  const dim3 block(row_threads);
  launch(to, clear_cells, dim3(blocks_for(v.scratch.coarse_slots, row_threads)), block, 0, v);
  launch(to, number_cells, dim3(blocks_for(p.rows, row_threads)), block, 0, v, cell_table(v.scratch));
  end_stage(to, p, v.scratch.cell_count);
}

void cells(launcher& to, const problem& p, const switches&) {
  const view v(p);
  const cell_table table(v.scratch);
  const dim3 rows(blocks_for(p.rows, row_threads)), block(row_threads);
  if (p.does(phase::coarse)) number_all_cells(to, p);
  if (p.does(phase::build)) {
    launch(to, mark_places, rows, block, 0, v, table);
    launch(to, begin_cells, rows, block, 0, v);
    launch(to, order_rows, rows, block, 0, v);
    end_stage(to, p, v.scratch.cell_count);
  }
  if (p.does(phase::map)) {
    launch(to, plan_offsets, dim3(blocks_for(p.offsets(), row_threads)), block, 0, v, box_of(p));
    match<false>(to, p);
    launch(to, sum_blocks, dim3(blocks_for(p.offsets(), column_width)), dim3(column_width * column_parts), 0,
           v, groups_per_block(p));
    sum_counts(to, p);
    match<true>(to, p);
    end_map(to, p);
  }
  if (p.does(phase::read_back)) sum_digests(to, p);
}

}  // namespace ablate::kernel_map
