// The flat search on packed keys (flat.cuh): as published, with key and row interleaved, with both kinds of
// symmetry, in blocks of twice the rows, and with lists in a fixed order.
#include "kernels/kernel_map/flat.cuh"

namespace ablate::kernel_map {

__global__ __launch_bounds__(256) void fill_upper_half(view v) {
  const long long first = (v.offsets / 2 + 1) * v.outs, count = v.offsets * v.outs;
  for (long long i = first + blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll)
    v.scratch.dense[i] = -1;
}

void map_flat_on_packed_rows(launcher& to, const problem& p, const flat_form& form) {
  const bool is_large = form.rows_of_block == 128;
  switch (form.half) {
    case symmetry::none:
      return is_large ? map_flat<packed_rows, symmetry::none, 128>(to, p, form.lists)
                      : map_flat<packed_rows>(to, p, form.lists);
    case symmetry::in_table:
      return map_flat<packed_rows, symmetry::in_table>(to, p, form.lists);
    case symmetry::in_lists:
      return is_large ? map_flat<packed_rows, symmetry::in_lists, 128>(to, p, form.lists)
                      : map_flat<packed_rows, symmetry::in_lists>(to, p, form.lists);
  }
}

void map_flat_on_interleaved_rows(launcher& to, const problem& p, list_form lists) {
  map_flat<interleaved_rows>(to, p, lists);
}

}  // namespace ablate::kernel_map
