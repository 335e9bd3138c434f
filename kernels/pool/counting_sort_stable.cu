// Pooling within buckets by a stable sort: as counting_sort, but a radix sort of the block's 13-bit cells, so
// that rows of a cell are in their order and every run gives the same bits. A row's number rides in the low
// bits of its key. Should move: shared atomics, to none; barriers, up by the sort's four passes.
#include <cub/block/block_radix_sort.cuh>

#include "kernels/pool/bucket_block.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/psh_bucket/phases.h"

namespace ablate::pool {

constexpr int number_bits = 10;
static_assert(block_points == 1 << number_bits);

using block_sort = cub::BlockRadixSort<unsigned, block_points, 1>;

struct stable_memory {
  typename block_sort::TempStorage sort;
  block_rows rows;
  std::uint16_t place[block_points];  ///< of each row
};

__global__ __launch_bounds__(block_points) void sort_stably(const __grid_constant__ bucket_view v) {
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<stable_memory*>(shared);
  const block_place at(v);
  if (!at.is_there()) return;
  float c[3];
  const unsigned cell = find_cell(v, at, memory.rows, c);
  // Threads without a row come last: behind every cell.
  unsigned key[1] = {(at.has_thread() ? cell : static_cast<unsigned>(cell_count)) << number_bits |
                     threadIdx.x};
  block_sort(memory.sort).Sort(key, number_bits, number_bits + cell_bits + 1);
  const unsigned row = key[0] & (block_points - 1);
  memory.rows.sorted[threadIdx.x] = static_cast<std::uint16_t>(row);
  memory.place[row] = static_cast<std::uint16_t>(threadIdx.x);
  __syncthreads();
  write_clusters(v, at, memory.rows, memory.place[threadIdx.x]);
}

void index_stably(launcher& to, const problem& p, const switches& s) {
  launch(to, sort_stably, bucket_grid(p), dim3(block_points),
         psh_bucket::shared_request(to, s, sizeof(stable_memory), sizeof(block_box)), bucket_view(p));
}

void counting_sort_stable(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_stably);
}

}  // namespace ablate::pool
