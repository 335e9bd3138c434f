// The published table with other probing schemes: see sequences.cuh and cooperative.cuh.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/launches.h"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"

namespace ablate::hash_table {

void packed_double_hash(launcher& to, const problem& p, const switches&) {
  run_threads<split, splitmix, double_hash>(to, p);
}
void packed_tile4(launcher& to, const problem& p, const switches&) { run_tiles<split, splitmix, 4>(to, p); }
void packed_tile8(launcher& to, const problem& p, const switches&) { run_tiles<split, splitmix, 8>(to, p); }
void packed_tile16(launcher& to, const problem& p, const switches&) { run_tiles<split, splitmix, 16>(to, p); }

}  // namespace ablate::hash_table
