// Bucketed tables: see buckets.cuh.
#include "kernels/hash_table/buckets.cuh"
#include "kernels/hash_table/layouts/interleaved_buckets.cuh"
#include "kernels/hash_table/layouts/split_buckets.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

void packed_wide_buckets_double_hash(launcher& to, const problem& p) {
  run_buckets<split_buckets<8, passed_keys::unmarked>>(to, p);
}
void interleaved_buckets_double_hash(launcher& to, const problem& p) {
  run_buckets<interleaved_buckets<passed_keys::unmarked>>(to, p);
}

}  // namespace ablate::hash_table
