// `flat` over packed keys with the hashes of the vector keys that they replaced:
//   slot(c) = h(c) mod slots, h: MurmurHash3 of the four words, or Murmur's finalizer once per word,
// instead of SplitMix64 of the packed key. Layout, driver and lists stay the same, so what is left between
// these and the tables of vector keys (vector_keys.cu) is the layout alone. Should move: integer instructions
// per probe, up; sectors per probe, not at all where both hashes spread keys alike.
#include "kernels/kernel_map/flat.cuh"

namespace ablate::kernel_map {

template <class Hash>
using hashed_packed_rows = hash_table::table<hash_table::split, Hash, hash_table::linear>;

void map_flat_on_packed_rows_by_murmur(launcher& to, const problem& p, list_form lists) {
  map_flat<hashed_packed_rows<hash_table::murmur>>(to, p, lists);
}
void map_flat_on_packed_rows_by_city(launcher& to, const problem& p, list_form lists) {
  map_flat<hashed_packed_rows<hash_table::city>>(to, p, lists);
}

}  // namespace ablate::kernel_map
