// `flat` over the tables of vector keys that packed keys replaced (layouts/indirect.cuh,
// layouts/in_line.cuh): driver, capacity and lists stay the same, so only the table differs. Should move: L2
// sectors per probe and dependent reads along it, up.
#include "kernels/hash_table/layouts/in_line.cuh"
#include "kernels/hash_table/layouts/indirect.cuh"
#include "kernels/kernel_map/flat.cuh"
#include "kernels/kernel_map/launches.h"

namespace ablate::kernel_map {

template <class Layout, class Hash>
using vector_rows = hash_table::table<Layout, Hash, hash_table::linear>;

void flat_indirect_murmur(launcher& to, const problem& p, const switches&) {
  map_flat<vector_rows<hash_table::indirect, hash_table::murmur>>(to, p);
}
void flat_indirect_city(launcher& to, const problem& p, const switches&) {
  map_flat<vector_rows<hash_table::indirect, hash_table::city>>(to, p);
}
void flat_in_line_murmur(launcher& to, const problem& p, const switches&) {
  map_flat<vector_rows<hash_table::in_line, hash_table::murmur>>(to, p);
}

}  // namespace ablate::kernel_map
