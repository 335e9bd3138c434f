#pragma once

#include "kernels/pool/bucket_padding.cuh"
#include "kernels/pool/counting_sort.cuh"
#include "kernels/pool/prefetch.cuh"
#include "kernels/pool/vectors.cuh"

namespace ablate::pool {

/// After counting_memory, for each channel.
struct shared_norm {
  float* scale;
  float* shift;
};

/// Of a block that sorts its rows by counting and has the norm after them.
inline std::size_t bytes_of_sorted_block(const problem& p) {
  return sizeof(counting_memory) + 2 * sizeof(float) * static_cast<std::size_t>(p.channels);
}

/// A block that has sorted its rows reduces their features at once: `reduce(at, sorted, norm)` makes the rows
/// of its clusters, then `Reducer` pads. First it prefetches `prefetched_bytes` of its features.
template <class Reducer, class Reduce>
__device__ __forceinline__ void sort_then_reduce(const bucket_view& v, const row_view& rows,
                                                 unsigned prefetched_bytes, Reduce reduce) {
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<counting_memory*>(shared);
  auto* const scale = reinterpret_cast<float*>(&memory + 1);
  const shared_norm norm{scale, scale + rows.channels};
  const block_place at(v);
  if (!at.is_there()) return;
  if (prefetched_bytes > 0)
    prefetch_to_l2(vector_of(rows.features, at.first, rows.channels, 0),
                   min(prefetched_bytes, at.points * static_cast<unsigned>(2 * rows.channels)));
  for (int c = static_cast<int>(threadIdx.x); c < rows.channels; c += block_points) {
    const channel_norm of(rows.norm, rows.channels, c);
    norm.scale[c] = of.scale;
    norm.shift[c] = of.shift;
  }
  const unsigned place = sort_rows(v, at, memory);  // its barriers complete the norm too
  write_clusters(v, at, memory.rows, place);
  reduce(at, memory.rows, norm);
  const bool pads = blockIdx.x == 0 && at.instance == v.instances - 1;
  if (pads) pad_rows<Reducer>(v, rows);
}

}  // namespace ablate::pool
