// Key and row in 16 bytes: see layouts/interleaved.cuh and layouts/interleaved_whole.cuh.
#include "kernels/hash_table/layouts/interleaved.cuh"

#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/interleaved_whole.cuh"
#include "kernels/hash_table/phases.cuh"
#include "kernels/hash_table/tables.h"

namespace ablate::hash_table {
namespace {

/// Claiming slots whole affects insertion only: no search variant does.
template <insertion Policy>
void insert_whole(launcher& to, const problem& p) {
  using of = table<interleaved_whole, splitmix, linear>;
  run_phases<of>(to, p, insert_all<of, Policy>, search_in_form<of>);
}

}  // namespace

void interleaved_16(launcher& to, const problem& p) { run_threads<interleaved, splitmix, linear>(to, p); }
void interleaved_16_load_first(launcher& to, const problem& p) {
  run_threads<interleaved, splitmix, linear, insertion::load_first>(to, p);
}
void interleaved_16_in_flight(launcher& to, const problem& p) {
  run_threads<interleaved, splitmix, linear, insertion::load_first, 4>(to, p);
}
void interleaved_whole_cas_first(launcher& to, const problem& p) {
  insert_whole<insertion::cas_first>(to, p);
}
void interleaved_whole_load_first(launcher& to, const problem& p) {
  insert_whole<insertion::load_first>(to, p);
}
void interleaved_16_searched_in_flight(launcher& to, const problem& p) {
  run_searches_in_flight<interleaved, splitmix, linear, 4>(to, p);
}
void interleaved_16_fibonacci(launcher& to, const problem& p) {
  run_threads<interleaved, fibonacci, linear>(to, p);
}
void interleaved_16_double_hash(launcher& to, const problem& p) {
  run_threads<interleaved, splitmix, double_hash>(to, p);
}
void interleaved_16_tile4(launcher& to, const problem& p) { run_tiles<interleaved, splitmix, 4>(to, p); }

}  // namespace ablate::hash_table
