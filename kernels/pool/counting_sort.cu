// Pooling within buckets by a counting sort. A block handles 1024 consecutive rows in bucket order: a row's
// cell is one of 8192 along the Morton curve of the block's own box; its place is the number of rows in lower
// cells, by a prefix sum over the block's counters, plus its rank within the cell, returned by the shared
// atomic; places are cut into clusters of the ratio. Where a block's clusters begin follows from the sizes,
// so no block waits for another and nothing is prefilled. Counters are 16 bits wide, two in a word: 16 KiB,
// one 16-byte store a thread to zero them. Members are sorted in shared memory and stored in order, and
// cluster means are computed from there, without atomics.
// Should move against the published form: launches, from two to one; barriers' stalls (its serial sum);
// shared memory, from all of it to 24 KiB; store sectors per request.
#include "kernels/pool/counting_sort.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/psh_bucket/phases.h"

namespace ablate::pool {

__global__ __launch_bounds__(block_points) void sort_by_counting(const __grid_constant__ bucket_view v) {
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<counting_memory*>(shared);
  const block_place at(v);
  if (!at.is_there()) return;
  const unsigned place = sort_rows(v, at, memory);
  write_clusters(v, at, memory.rows, place);
}

/// The kernel's static shared memory, beside the requested dynamic memory; each part rounded up to 16 bytes.
constexpr std::size_t static_bytes_of_counting =
    (sizeof(block_box) + 15) / 16 * 16 + (sizeof(counting_scan::TempStorage) + 15) / 16 * 16;

void index_by_counting(launcher& to, const problem& p, const switches& s) {
  launch(to, sort_by_counting, bucket_grid(p), dim3(block_points),
         psh_bucket::shared_request(to, s, sizeof(counting_memory), static_bytes_of_counting),
         bucket_view(p));
}

void counting_sort(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_by_counting);
}

}  // namespace ablate::pool
