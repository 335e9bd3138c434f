// Lists in slabs from a dense table T[offset][out row]: list q begins at q · outs, so its place is known
// before anything is counted and T is read once, not twice. A block handles 1024 neighboring entries of one
// offset and reserves its part of the slab with one atomic on the offset's count, which is the list's length
// at the end. Should move: bytes read per entry, from 8 to 4, and one kernel less; memory of the lists, up to
// a place for every entry.
#include "kernels/kernel_map/dense_lists.cuh"

namespace ablate::kernel_map {

__global__ __launch_bounds__(list_threads) void scatter_into_slabs(view v) {
  put_where_reserved<lists_of_entry::own>(v, [&](int q, unsigned long long count) {
    return q * v.outs + atomicAdd(v.scratch.counts + q, count);
  });
}

void slabs_from_dense(launcher& to, const problem& p) {
  const dim3 grid(blocks_for(p.outs, entries_per_block), static_cast<unsigned>(p.offsets()));
  clear_counts(to, p);
  launch(to, scatter_into_slabs, grid, dim3(list_threads), 0, view(p));
  sum_counts(to, p);
}

}  // namespace ablate::kernel_map
