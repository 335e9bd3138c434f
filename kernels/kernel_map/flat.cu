// The flat search on packed keys (flat.cuh): as published, with key and row interleaved, with both kinds of
// symmetry, in blocks of twice the rows, and with lists in a fixed order.
#include "kernels/kernel_map/flat.cuh"
#include "kernels/kernel_map/launches.h"

namespace ablate::kernel_map {

__global__ __launch_bounds__(256) void fill_upper_half(view v) {
  const long long first = (v.offsets / 2 + 1) * v.outs, count = v.offsets * v.outs;
  for (long long i = first + blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll)
    v.scratch.dense[i] = -1;
}

void flat(launcher& to, const problem& p, const switches&) { map_flat<packed_rows>(to, p); }
void flat_interleaved(launcher& to, const problem& p, const switches&) { map_flat<interleaved_rows>(to, p); }
void flat_mirrored(launcher& to, const problem& p, const switches&) {
  map_flat<packed_rows, symmetry::in_table>(to, p);
}
void flat_symmetric(launcher& to, const problem& p, const switches&) {
  map_flat<packed_rows, symmetry::in_lists>(to, p);
}
void flat_128x8(launcher& to, const problem& p, const switches&) {
  map_flat<packed_rows, symmetry::none, 128>(to, p);
}
void flat_deterministic(launcher& to, const problem& p, const switches&) {
  run_phases<packed_rows>(to, p, [&] {
    search_all_offsets<packed_rows>(to, p);
    ordered_lists_from_dense(to, p);
  });
}

}  // namespace ablate::kernel_map
