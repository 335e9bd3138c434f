#pragma once

#include "kernels/common/call_cub.cuh"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/unique_rows/forms.h"
#include "kernels/unique_rows/scratch.h"

namespace ablate::unique_rows {

using hash_table::coordinate;
using hash_table::insertion;
using hash_table::table_threads;
using hash_table::tally;

/// The published table: packed keys, splitmix, linear probing.
using rows_table = hash_table::table<hash_table::split, hash_table::splitmix, hash_table::linear>;

/// The table of the rows as a hash_table problem: clear and insert.
inline hash_table::problem table_problem(const problem& p) {
  hash_table::problem rows;
  rows.rows = p.rows;
  rows.slots = p.slots;
  rows.keeps_smallest = p.keeps_smallest;
  rows.first = hash_table::phase::clear;
  rows.last = hash_table::phase::insert;
  rows.coordinates = p.coordinates;
  rows.table = p.table;
  rows.status = p.status;
  rows.events = p.events;
  return rows;
}

/// For no rows: an empty list and status_ok.
void list_nothing(launcher&, const problem&);

/// Sets every flag of `scratch` to 0.
void clear_flags(launcher&, const problem&);

/// Lists the flagged rows, ascending, and counts them.
void list_flagged(launcher&, const problem&);

}  // namespace ablate::unique_rows
