// The published driver without pruning: one thread per (out row, offset) looks up its in row and stores it,
// or −1, in the dense table T[offset][out row]. A block is 64 rows by 8 offsets, so a warp holds 32
// neighboring rows of one offset: coordinate reads and writes of T are whole sectors, and the cost is in the
// probes: offsets · rows of them, one random sector each. The lists are then made from T. A map onto its own
// rows needs half of the searches: `in_table` stores each pair in T again, for the opposite offset;
// `in_lists` keeps a T of half the offsets and makes the opposite list from the same entries, in and out rows
// symmetric, so both lists are written contiguously and nothing is scattered over T.
#pragma once

#include "kernels/kernel_map/forms.h"
#include "kernels/kernel_map/grid.cuh"
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

/// Sets T's entries after the middle offset to −1.
__global__ void fill_upper_half(view);

template <class Table, symmetry Symmetry, int RowsPerBlock, bool Instrumented>
__global__ __launch_bounds__(RowsPerBlock* offsets_per_block) void search_offsets(view v, const Table in,
                                                                                  int searched) {
  const long long out = static_cast<long long>(blockIdx.x) * RowsPerBlock + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  if (out >= v.outs || q >= searched) return;
  constexpr bool mirrors = Symmetry == symmetry::in_table;
  tally<Instrumented> events;
  if (q == 0) {
    events.add(queries);
    if (Symmetry == symmetry::in_lists) events.add(pairs);  // the row with itself, which is not searched
  }
  const bool is_itself = mirrors && q == v.offsets / 2;
  const int row = is_itself ? static_cast<int>(out) : find_row(v, in, v.outs_at[out], v.offset(q), events);
  if (row >= 0) events.add(pairs, Symmetry != symmetry::none && q != v.offsets / 2 ? 2 : 1);
  v.scratch.dense[q * v.outs + out] = row;
  if (mirrors && q != v.offsets / 2 && row >= 0)
    v.scratch.dense[(v.offsets - 1 - q) * v.outs + row] = static_cast<int>(out);
  events.write(v.events);
}

template <class Table, symmetry Symmetry = symmetry::none, int RowsPerBlock = rows_per_block>
void search_all_offsets(launcher& to, const problem& p) {
  const int half = p.offsets() / 2;
  const int searched = Symmetry == symmetry::none       ? p.lists()
                       : Symmetry == symmetry::in_table ? half + 1
                                                        : half;
  if constexpr (Symmetry == symmetry::in_table)
    launch(to, fill_upper_half, dim3(8 * to.device().multiprocessors), dim3(256), 0, view(p));
  with_form(p, [&](auto instrumented) {
    launch(to, search_offsets<Table, Symmetry, RowsPerBlock, instrumented>,
           grid_over<RowsPerBlock>(p.outs, searched), view(p), Table(row_problem(p)), searched);
  });
}

template <class Table, symmetry Symmetry = symmetry::none, int RowsPerBlock = rows_per_block>
void map_flat(launcher& to, const problem& p, list_form lists) {
  run_phases<Table>(to, p, [&] {
    search_all_offsets<Table, Symmetry, RowsPerBlock>(to, p);
    if (lists == list_form::as_blocks_arrive)
      outputs_from_dense(to, p, Symmetry == symmetry::in_lists);
    else
      lists_in_form(to, p, lists);
  });
}

}  // namespace ablate::kernel_map
