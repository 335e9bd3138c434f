// The table of the rows, as in hash_insert: packed keys, by compare-and-swap at every slot probed, or at
// those that were read as empty. Should move: atomics per row, from one per slot probed to one per distinct
// row.
#include "kernels/unique_rows/phases.cuh"

namespace ablate::unique_rows {

void build_table(launcher& to, const problem& p, claiming how) {
  hash_table::run_phases<rows_table>(to, table_problem(p),
                                     how == claiming::load_first
                                         ? hash_table::insert_all<rows_table, insertion::load_first>
                                         : hash_table::insert_all<rows_table, insertion::cas_first>,
                                     nullptr);
}

}  // namespace ablate::unique_rows
