// The published table (packed keys, splitmix, linear) with each insertion policy: see insert.cuh.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

__global__ void zero_summary(std::uint64_t* summary) { summary[0] = summary[1] = 0; }

void packed(launcher& to, const problem& p) { run_threads<split, splitmix, linear>(to, p); }

void packed_load_first(launcher& to, const problem& p) {
  run_threads<split, splitmix, linear, insertion::load_first>(to, p);
}

void packed_warp_deduplicated(launcher& to, const problem& p) {
  run_threads<split, splitmix, linear, insertion::warp_deduplicated>(to, p);
}

void packed_in_flight(launcher& to, const problem& p) {
  run_threads<split, splitmix, linear, insertion::load_first, 4>(to, p);
}

void packed_searched_in_flight(launcher& to, const problem& p) {
  run_searches_in_flight<split, splitmix, linear, 4>(to, p);
}

}  // namespace ablate::hash_table
