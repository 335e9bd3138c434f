// What the check reads from store and table: counts and sums that do not depend on the order of the rows.
#include "kernels/coordinate_expand/view.cuh"
#include "oracles/coordinate_expand/launches.h"

namespace ablate::coordinate_expand {

/// What a variant guarantees about its row numbers.
enum class row_order {
  base_first,  ///< base row i has number i
  by_key       ///< packed keys ascend
};

__global__ void zero_figures(std::uint64_t* figures) {
  if (threadIdx.x < figure_count) figures[threadIdx.x] = 0;
}

/// All lanes of a warp must take part.
__device__ void add_to(std::uint64_t* figures, figure which, unsigned long long share) {
  for (int lane = 16; lane > 0; lane /= 2) share += __shfl_down_sync(~0u, share, lane);
  if (threadIdx.x % 32 == 0 && share != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(figures) + which, share);
}

/// Whether row i of the store breaks the order.
__device__ bool is_out_of_place(const view& v, row_order order, long long i) {
  if (order == row_order::base_first) return i < v.rows && !hash_table::equal(v.store[i], v.base[i]);
  return i > 0 && hash_table::pack(v.store[i - 1]) >= hash_table::pack(v.store[i]);
}

__global__ __launch_bounds__(table_threads) void sum_store(view v, const rows_table in, row_order order,
                                                           std::uint64_t* figures) {
  const long long count = min(static_cast<long long>(v.result->rows), v.capacity);
  unsigned long long found = 0, keys = 0, out_of_range = 0, out_of_place = 0;
  for (long long i = blockIdx.x * static_cast<long long>(table_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(table_threads)) {
    const coordinate row = v.store[i];
    auto way = in.start(row);
    found += in.find(way) == i;
    keys += hash_table::splitmix_of(hash_table::pack(row));
    out_of_range += !hash_table::in_range(row);
    out_of_place += is_out_of_place(v, order, i);
  }
  add_to(figures, rows_found, found);
  add_to(figures, keys_of_rows, keys);
  add_to(figures, rows_out_of_range, out_of_range);
  add_to(figures, rows_out_of_place, out_of_place);
}

__global__ __launch_bounds__(table_threads) void sum_table(const rows_table all, std::uint64_t* figures) {
  unsigned long long occupied = 0, keys = 0;
  for (long long slot = blockIdx.x * static_cast<long long>(table_threads) + threadIdx.x; slot <= all.mask();
       slot += gridDim.x * static_cast<long long>(table_threads)) {
    if (!all.slots().occupied(static_cast<unsigned>(slot))) continue;
    ++occupied;
    keys += hash_table::splitmix_of(all.slots().key_at(static_cast<unsigned>(slot)));
  }
  add_to(figures, occupied_slots, occupied);
  add_to(figures, keys_of_slots, keys);
}

void sum_figures_in(row_order order, launcher& to, const checked_problem& p) {
  // The table may have grown; the store has room for every row numbered in it.
  const bool grows = p.grows != growth::none;
  const room now{to.read(scratch(p).slots, p.slots), grows ? p.max_rows : p.capacity};
  const dim3 grid(8 * to.device().multiprocessors), block(table_threads);
  launch(to, zero_figures, dim3(1), dim3(32), 0, p.figures);
  launch(to, sum_store, grid, block, 0, view(p, now), table_of(p, now), order, p.figures);
  launch(to, sum_table, grid, block, 0, table_of(p, now), p.figures);
}

void sum_figures(launcher& to, const checked_problem& p, const switches&) {
  sum_figures_in(row_order::base_first, to, p);
}

void sum_figures_by_key(launcher& to, const checked_problem& p, const switches&) {
  sum_figures_in(row_order::by_key, to, p);
}

}  // namespace ablate::coordinate_expand
