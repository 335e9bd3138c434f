// Pooling within buckets in one launch: a block that has sorted its rows (counting_sort.cuh) reduces their
// features at once, by lanes of 16 bytes, with members from shared memory, then batch norm and GELU. With
// `prefetch_kib` it first prefetches that much of its features to L2, overlapped with the sort.
// Should move: launches, to one; bytes, by the members that are not read again; the time without DRAM reads
// at the beginning, to none with the prefetch.
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/pool/sort_then_reduce.cuh"

namespace ablate::pool {

template <reduction Op, winners Winners>
__device__ void reduce_block(const row_view& v, const block_place& at, const block_rows& rows, unsigned ratio,
                             const shared_norm& norm) {
  const unsigned lanes = v.channels / vector_channels;
  for (unsigned item = threadIdx.x; item < at.clusters * lanes; item += block_points) {
    const unsigned cluster = item / lanes, lane = item % lanes, begin = cluster * ratio;
    reducer<Op, Winners, vector_channels> reduced;
    reduced.end(reduce_vector(reduced, v.features, v.points, v.channels, lane, begin,
                              min(begin + ratio, at.points),
                              [&](unsigned i) { return at.first + rows.sorted[i]; }));
#pragma unroll
    for (int i = 0; i < vector_channels; ++i) {
      channel_norm of;
      of.scale = norm.scale[vector_channels * lane + i];
      of.shift = norm.shift[vector_channels * lane + i];
      reduced.x[i] = of.finished(reduced.x[i]);
    }
    *vector_of(v.finished, at.first_cluster + cluster, v.channels, lane) = rounded(reduced.x);
    store_winners(reduced, v.winner, at.first_cluster + cluster, v.channels, lane);
  }
}

template <reduction Op, winners Winners>
__global__ __launch_bounds__(block_points) void sort_and_reduce(const __grid_constant__ bucket_view v,
                                                                const __grid_constant__ row_view rows,
                                                                unsigned prefetched_bytes) {
  sort_then_reduce<reducer<Op, Winners, vector_channels>>(
      v, rows, prefetched_bytes,
      [&](const block_place& at, const block_rows& sorted, const shared_norm& norm) {
        reduce_block<Op, Winners>(rows, at, sorted, v.ratio, norm);
      });
}

void sort_and_reduce_at_once(launcher& to, const problem& p, const switches& s) {
  const std::size_t shared = bytes_of_sorted_block(p);
  with_reducer(p, [&](auto op, auto winners) {
    launch(to, sort_and_reduce<op, winners>, bucket_grid(p), dim3(block_points), shared, bucket_view(p),
           row_view(p), static_cast<unsigned>(1024 * s.integer("prefetch_kib")));
  });
}

void counting_sort_one_launch(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::index) && p.does(phase::finish)) return sort_and_reduce_at_once(to, p, s);
  run_phases(to, p, s, index_by_counting);
}

}  // namespace ablate::pool
