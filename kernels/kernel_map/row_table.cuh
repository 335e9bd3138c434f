#pragma once

#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/interleaved.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

using packed_rows = hash_table::table<hash_table::split, hash_table::splitmix, hash_table::linear>;
using interleaved_rows = hash_table::table<hash_table::interleaved, hash_table::splitmix, hash_table::linear>;

/// The table of the rows as a problem of its own.
inline hash_table::problem row_problem(const problem& p) {
  const scratch s(p);
  hash_table::problem rows;
  rows.rows = p.rows;
  rows.slots = p.slots;
  rows.coordinates = p.coordinates;
  rows.table = s.table;
  rows.status = s.table_status;
  return rows;
}

template <class Table>
void build_rows(launcher& to, const problem& p) {
  hash_table::run_phases<Table>(to, row_problem(p),
                                hash_table::insert_all<Table, hash_table::insertion::load_first>, nullptr);
  end_stage(to, p, scratch(p).table_status);
}

}  // namespace ablate::kernel_map
