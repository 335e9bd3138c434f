// Kernel maps from bitmaps of 4³ cells, without a table of voxels. Build: occupied cells get numbers, each
// with a 64-bit map of its places (an OR a voxel) and its rows in the order of the bits, so the row of a
// voxel is begin + popcount of the bits below it. Map: one thread a cell holds the maps of the cells around
// it in shared memory. For one offset, the places whose partner exists are the cell's own bits AND the
// neighbors' bits shifted by the offset: an axis of the offset, 4 · d + r, moves places p < 4 − r into cell d
// and the others into d + 1, so at most eight neighbors are shifted and masked, by numbers that are the same
// for all threads. A population count gives the pairs of a cell and offset; a first pass counts them, block
// by block, a sum over blocks and offsets gives every block its places in every list, and a second pass
// writes the pairs. No probe is sent for a pair: a cell looks up its neighbors once. Should move: L2 sectors,
// from one random sector a row and offset to one or two a neighboring cell and 8 bytes a pair; arithmetic on
// bits comes instead.
#include <cub/block/block_scan.cuh>

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

namespace {

constexpr int row_threads = 256;
constexpr int column_width = 32, column_parts = 32;

/// The cells around one that the offsets of a kernel reach: −c … c on each axis.
struct cell_box {
  int reach[3];

  __host__ __device__ int cells() const {
    return (2 * reach[0] + 1) * (2 * reach[1] + 1) * (2 * reach[2] + 1);
  }
  __host__ __device__ int index(int x, int y, int z) const {
    return ((x + reach[0]) * (2 * reach[1] + 1) + y + reach[1]) * (2 * reach[2] + 1) + z + reach[2];
  }
  __device__ int3 cell(int i) const {
    const int width_z = 2 * reach[2] + 1, width_y = 2 * reach[1] + 1;
    return {i / width_z / width_y - reach[0], i / width_z % width_y - reach[1], i % width_z - reach[2]};
  }
};

cell_box box_of(const problem& p) {
  cell_box box{};
  for (int q : {0, p.offsets() - 1})
    for (int axis = 0; axis < 3; ++axis) {
      const int o = offset_of(p, q)[axis], distance = o < 0 ? -o : o;
      const int cells = (distance + cell_edge - 1) / cell_edge;
      if (cells > box.reach[axis]) box.reach[axis] = cells;
    }
  return box;
}

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

/// One thread a cell; `Writes`: the second pass. Shared memory: per thread the maps of the neighbors, and in
/// the second pass where their rows begin; for the block its counts of the offsets, or its places.
template <bool Writes, bool Instrumented>
__global__ __launch_bounds__(cell_threads) void match_cells(view v, const cell_table table, cell_box box) {
  extern __shared__ unsigned long long shared[];
  const unsigned cells = v.scratch.cell_count[0];
  if (blockIdx.x * cell_threads >= cells) return;
  const int neighbors = box.cells();
  auto* const bits = shared;                                                          // [neighbors][threads]
  auto* const begins = reinterpret_cast<unsigned*>(bits + neighbors * cell_threads);  // [neighbors][threads]
  auto* const tallied = begins + (Writes ? neighbors * cell_threads : 0);             // [offsets]
  tally<Instrumented> events;

  std::uint32_t* const of_block = v.scratch.block_counts + static_cast<long long>(blockIdx.x) * v.offsets;
  for (int q = static_cast<int>(threadIdx.x); q < v.offsets; q += cell_threads)
    tallied[q] = Writes ? of_block[q] : 0;
  const unsigned id = blockIdx.x * cell_threads + threadIdx.x;
  const bool here = id < cells;
  const coordinate at =
      here ? reinterpret_cast<const coordinate*>(v.scratch.cell_coordinates)[id] : coordinate{};
  for (int n = 0; n < neighbors; ++n) {
    unsigned looked = 0;
    const int3 d = box.cell(n);
    const int other = here ? table.find(neighbor(at, d.x, d.y, d.z, v.guards), looked) : -1;
    bits[n * cell_threads + threadIdx.x] = other < 0 ? 0 : v.scratch.cell_bits[other];
    if (Writes) begins[n * cell_threads + threadIdx.x] = other < 0 ? 0 : v.scratch.cell_begin[other];
    if (!Writes) events.add(coarse_probes, looked);
  }
  const int own_index = box.index(0, 0, 0) * cell_threads + static_cast<int>(threadIdx.x);
  const unsigned long long own = bits[own_index];
  const unsigned own_begin = Writes ? begins[own_index] : 0;
  if (!Writes) events.add(queries, __popcll(own));

  __syncthreads();

  for (int q = 0; q < v.offsets; ++q) {
    const contribution* const parts = v.scratch.contributions + q * contributions_per_offset;
    unsigned found = 0;
    for (int corner = 0; corner < contributions_per_offset; ++corner) {
      const contribution part = parts[corner];
      if (part.places == 0) break;
      found +=
          __popcll(own & part.places & moved(bits[part.neighbor * cell_threads + threadIdx.x], part.move));
    }
    if (!Writes) {
      const unsigned all = __reduce_add_sync(~0u, found);
      if (threadIdx.x % 32 == 0 && all != 0) atomicAdd(tallied + q, all);
      events.add(pairs, found);
      continue;
    }
    unsigned up_to = found;
    for (int lane = 1; lane < 32; lane *= 2) {
      const unsigned other = __shfl_up_sync(~0u, up_to, lane);
      if (threadIdx.x % 32 >= static_cast<unsigned>(lane)) up_to += other;
    }
    unsigned first = 0;
    if (threadIdx.x % 32 == 31 && up_to != 0) first = atomicAdd(tallied + q, up_to);
    first = __shfl_sync(~0u, first, 31);
    long long place = v.ends[q] + first + up_to - found;
    for (int corner = 0; corner < contributions_per_offset && found > 0; ++corner) {
      const contribution part = parts[corner];
      if (part.places == 0) break;
      const unsigned long long others = bits[part.neighbor * cell_threads + threadIdx.x];
      unsigned long long left = own & part.places & moved(others, part.move);
      const unsigned begin = begins[part.neighbor * cell_threads + threadIdx.x];
      for (; left != 0; left &= left - 1, ++place) {
        const int bit = __ffsll(static_cast<long long>(left)) - 1, partner = bit + part.move;
        if (place >= v.capacity) continue;
        v.in_rows[place] = v.scratch.cell_rows[begin + __popcll(others & ((1ull << partner) - 1))];
        v.out_rows[place] = v.scratch.cell_rows[own_begin + __popcll(own & ((1ull << bit) - 1))];
      }
    }
  }
  __syncthreads();
  if (!Writes)
    for (int q = static_cast<int>(threadIdx.x); q < v.offsets; q += cell_threads) of_block[q] = tallied[q];
  events.write(v.events);
}

/// Counts of the blocks → what the blocks before have of the same offset, and the counts of the lists.
__global__ __launch_bounds__(column_width* column_parts) void sum_blocks(view v) {
  __shared__ unsigned part_sum[column_parts][column_width];
  const int lane = static_cast<int>(threadIdx.x % column_width);
  const int part = static_cast<int>(threadIdx.x / column_width);
  const int q = static_cast<int>(blockIdx.x) * column_width + lane;
  const bool here = q < v.offsets;
  const int rows = static_cast<int>((v.scratch.cell_count[0] + cell_threads - 1) / cell_threads);
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

template <bool Writes>
void match(launcher& to, const problem& p) {
  const cell_box box = box_of(p);
  const std::size_t per_neighbor = sizeof(unsigned long long) + (Writes ? sizeof(unsigned) : 0);
  const std::size_t bytes =
      box.cells() * cell_threads * per_neighbor + 8 * sizeof(contribution) + p.offsets() * sizeof(unsigned);
  with_form(p, [&](auto instrumented) {
    launch(to, match_cells<Writes, instrumented>, dim3(static_cast<unsigned>(cell_blocks(p.rows))),
           dim3(cell_threads), bytes, view(p), cell_table(scratch(p)), box);
  });
}

void number_all_cells(launcher& to, const problem& p) {
  const view v(p);
  const dim3 block(row_threads);
  launch(to, clear_cells, dim3(blocks_for(v.scratch.coarse_slots, row_threads)), block, 0, v);
  launch(to, number_cells, dim3(blocks_for(p.rows, row_threads)), block, 0, v, cell_table(v.scratch));
}

void cells(launcher& to, const problem& p, const switches&) {
  const view v(p);
  const cell_table table(v.scratch);
  const dim3 rows(blocks_for(p.rows, row_threads)), block(row_threads);
  if (p.does(phase::build)) {
    number_all_cells(to, p);
    launch(to, mark_places, rows, block, 0, v, table);
    launch(to, begin_cells, rows, block, 0, v);
    launch(to, order_rows, rows, block, 0, v);
  }
  if (p.does(phase::map)) {
    launch(to, plan_offsets, dim3(blocks_for(p.offsets(), row_threads)), block, 0, v, box_of(p));
    match<false>(to, p);
    launch(to, sum_blocks, dim3(blocks_for(p.offsets(), column_width)), dim3(column_width * column_parts), 0,
           v);
    sum_counts(to, p);
    match<true>(to, p);
  }
  if (p.does(phase::read_back)) sum_digests(to, p);
}

}  // namespace ablate::kernel_map
