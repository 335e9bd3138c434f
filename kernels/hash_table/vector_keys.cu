// Vector-key tables, the baselines that packed keys replaced: see layouts/indirect.cuh and
// layouts/in_line.cuh.
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/in_line.cuh"
#include "kernels/hash_table/layouts/indirect.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {

void indirect_murmur(launcher& to, const problem& p) {
  run_threads<indirect, murmur, linear, insertion::load_first>(to, p);
}
void indirect_city(launcher& to, const problem& p) {
  run_threads<indirect, city, linear, insertion::load_first>(to, p);
}
void in_line_murmur(launcher& to, const problem& p) { run_threads<in_line, murmur, linear>(to, p); }

}  // namespace ablate::hash_table
