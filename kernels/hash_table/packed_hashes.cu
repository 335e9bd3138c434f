// The published table with other hashes: see hashes.cuh.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

void packed_murmur(launcher& to, const problem& p) { run_threads<split, murmur, linear>(to, p); }
void packed_fnv(launcher& to, const problem& p) { run_threads<split, fnv, linear>(to, p); }
void packed_city(launcher& to, const problem& p) { run_threads<split, city, linear>(to, p); }
void packed_fibonacci(launcher& to, const problem& p) { run_threads<split, fibonacci, linear>(to, p); }
void packed_sector_local(launcher& to, const problem& p) { run_threads<split, sector_local, linear>(to, p); }

}  // namespace ablate::hash_table
