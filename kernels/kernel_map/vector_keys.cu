// `flat` over the tables of vector keys that packed keys replaced (layouts/indirect.cuh,
// layouts/in_line.cuh): driver, capacity and lists stay the same, so only the table differs. Should move: L2
// sectors per probe and dependent reads along it, up.
#include "kernels/hash_table/layouts/in_line.cuh"
#include "kernels/hash_table/layouts/indirect.cuh"
#include "kernels/kernel_map/flat.cuh"

namespace ablate::kernel_map {

template <class Layout, class Hash>
using vector_rows = hash_table::table<Layout, Hash, hash_table::linear>;

void map_flat_on_indirect_rows_by_murmur(launcher& to, const problem& p, list_form lists) {
  map_flat<vector_rows<hash_table::indirect, hash_table::murmur>>(to, p, lists);
}
void map_flat_on_indirect_rows_by_city(launcher& to, const problem& p, list_form lists) {
  map_flat<vector_rows<hash_table::indirect, hash_table::city>>(to, p, lists);
}
void map_flat_on_in_line_rows_by_murmur(launcher& to, const problem& p, list_form lists) {
  map_flat<vector_rows<hash_table::in_line, hash_table::murmur>>(to, p, lists);
}

}  // namespace ablate::kernel_map
