// The published table with other probing schemes: see sequences.cuh and cooperative.cuh.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

void packed_double_hash(launcher& to, const problem& p) { run_threads<split, splitmix, double_hash>(to, p); }
void packed_double_hash_searched_in_flight(launcher& to, const problem& p) {
  run_searches_in_flight<split, splitmix, double_hash, 4>(to, p);
}
void packed_tile4(launcher& to, const problem& p) { run_tiles<split, splitmix, 4>(to, p); }
void packed_tile8(launcher& to, const problem& p) { run_tiles<split, splitmix, 8>(to, p); }
void packed_tile16(launcher& to, const problem& p) { run_tiles<split, splitmix, 16>(to, p); }

}  // namespace ablate::hash_table
