// Tables whose buckets record whether a key has gone past them, so that a miss need not continue past every
// full one: see buckets.cuh. Should move: buckets per miss, down (1.57 instead of 2.26 at load .80); atomics
// per insertion, up by one for each bucket that a key goes past, 0.1 per key at that load.
#include "kernels/hash_table/buckets.cuh"
#include "kernels/hash_table/layouts/interleaved_buckets.cuh"
#include "kernels/hash_table/layouts/split_buckets.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

void packed_marked_buckets(launcher& to, const problem& p) {
  run_buckets<split_buckets<4, passed_keys::marked>>(to, p);
}
void interleaved_marked_buckets(launcher& to, const problem& p) {
  run_buckets<interleaved_buckets<passed_keys::marked>>(to, p);
}

}  // namespace ablate::hash_table
