// Pooling by grid with a hash table of the coarser cells (the split table of hash_insert, as in unique_rows),
// for where no order is wanted: rows insert their cell; who claims a slot is flagged; the sum of the flags
// numbers the clusters in the order of their first claimants' rows; rows read their cluster's number from the
// slot and take a rank from its counter; sums of the counters are the starts. Which row claims a cell is up
// to the order of arrival, so numbers are free within an instance. Should move: random sectors, two a row;
// launches, half of those of the packed sort.
#include <cub/device/device_scan.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/number_flags.cuh"
#include "kernels/pool/phases.h"

namespace ablate::pool {

using hash_table::table_threads;
using cells_table = hash_table::table<hash_table::split, hash_table::splitmix, hash_table::linear>;

/// Row → instance and cell of the coarser grid; empties slots and counters. A thread a slot, more than rows.
__global__ __launch_bounds__(table_threads) void prepare_cells(const __grid_constant__ grid_view v,
                                                               cells_table all, int4* rows,
                                                               std::uint32_t* counts) {
  const unsigned i = blockIdx.x * table_threads + threadIdx.x;
  if (i <= all.mask()) all.clear(i);
  if (i > static_cast<unsigned>(v.points)) return;
  counts[i] = 0;
  if (i == static_cast<unsigned>(v.points)) return;
  const int row = static_cast<int>(i);
  const std::int32_t* const cell = v.cells + 3ll * row;
  rows[row] =
      make_int4(v.instance_of(v.code_of(0, row)), cell[0] >> v.shift, cell[1] >> v.shift, cell[2] >> v.shift);
}

/// The slot of each row's cell, and whether the row has claimed it. The table has room for all.
__global__ __launch_bounds__(table_threads) void claim_cells(const __grid_constant__ grid_view v,
                                                             cells_table into, const int4* rows,
                                                             std::uint32_t* slots, std::uint32_t* flags) {
  const int row = static_cast<int>(blockIdx.x * table_threads + threadIdx.x);
  if (row >= v.points) return;
  hash_table::tally<uncounted> events;
  hash_table::insert_key<hash_table::insertion::load_first>(into, into.start(rows[row], row),
                                                            hash_table::slot_unseen, events, nullptr,
                                                            [&](unsigned slot, bool mine) {
                                                              slots[row] = slot;
                                                              flags[row] = mine ? 1 : 0;
                                                            });
}

/// `numbers[row]`: flags of the rows before. Claimants name their cluster in the slot.
__global__ __launch_bounds__(table_threads) void name_clusters(const __grid_constant__ grid_view v,
                                                               cells_table of, const int4* rows,
                                                               const std::uint32_t* slots,
                                                               const std::uint32_t* flags,
                                                               const std::uint32_t* numbers) {
  const int row = static_cast<int>(blockIdx.x * table_threads + threadIdx.x);
  if (row >= v.points) return;
  const unsigned number = numbers[row];
  const int instance = rows[row].x, before = row == 0 ? -1 : rows[row - 1].x;
  // An instance's first row need not be a claimant, but all of its claimants come later.
  if (instance != before) v.begin_instances(before + 1, instance, number);
  if (flags[row] != 0) {
    of.slots().store(slots[row], static_cast<int>(number));
    v.code_out[number] = v.code_of(0, row);
    v.write_cell(number, row);
  }
  if (row == v.points - 1) v.begin_instances(instance + 1, v.instances, number + flags[row]);
}

__global__ __launch_bounds__(table_threads) void rank_rows(const __grid_constant__ grid_view v,
                                                           const cells_table of, const std::uint32_t* slots,
                                                           std::uint32_t* counts, std::uint32_t* ranks) {
  const int row = static_cast<int>(blockIdx.x * table_threads + threadIdx.x);
  if (row >= v.points) return;
  const auto cluster = static_cast<unsigned>(of.slots().row_at(slots[row]));
  v.cluster[row] = cluster;
  ranks[row] = atomicAdd(counts + cluster, 1u);
}

__global__ __launch_bounds__(table_threads) void place_rows(const __grid_constant__ grid_view v,
                                                            const std::uint32_t* ranks) {
  const int row = static_cast<int>(blockIdx.x * table_threads + threadIdx.x);
  if (row < v.points) v.member[v.start[v.cluster[row]] + ranks[row]] = static_cast<unsigned>(row);
}

__global__ __launch_bounds__(table_threads) void average_members(const __grid_constant__ grid_view v) {
  const unsigned j = blockIdx.x * table_threads + threadIdx.x;
  if (j < v.rows()) v.write_position(j);
}

__global__ void count_no_clusters(const __grid_constant__ grid_view v) {
  v.start[0] = 0;
  v.begin_instances(0, v.instances, 0);
}

void sum_before(launcher& to, const scratch& s, const std::uint32_t* from, std::uint32_t* sums,
                std::int64_t items) {
  call_cub(to, "cub::DeviceScan", s.temporary, s.temporary_bytes,
           [&](void* memory, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceScan::ExclusiveSum(memory, bytes, from, sums, points_to_sort(items), stream);
           });
}

void index_by_hash_table(launcher& to, const problem& p, const switches&) {
  const grid_view v(p);
  if (p.points == 0) return launch(to, count_no_clusters, dim3(1), dim3(1), 0, v);
  const scratch s(p);
  hash_table::problem of_table;
  of_table.slots = slots_for(p.points);
  of_table.table = s.hash_table;
  const cells_table table(of_table);
  auto* const rows = reinterpret_cast<int4*>(s.rows);
  const dim3 grid(blocks_for(p.points, table_threads)), block(table_threads);
  launch(to, prepare_cells, dim3(blocks_for(of_table.slots, table_threads)), block, 0, v, table, rows,
         s.counts);
  launch(to, claim_cells, grid, block, 0, v, table, rows, s.slots, s.claims);
  sum_before(to, s, s.claims, s.names, p.points);
  launch(to, name_clusters, grid, block, 0, v, table, rows, s.slots, s.claims, s.names);
  launch(to, rank_rows, grid, block, 0, v, table, s.slots, s.counts, s.ranks);
  // After the last cluster all counts are 0, so each start there is the number of points.
  sum_before(to, s, s.counts, p.start, p.points + 1);
  launch(to, place_rows, grid, block, 0, v, s.ranks);
  launch(to, average_members, grid, block, 0, v);
}

void by_hash_table(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_by_hash_table);
}

}  // namespace ablate::pool
