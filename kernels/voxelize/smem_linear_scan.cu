// Voxel staging, the study's approach B, unchanged: a table of (fp32 count, int32 cell) in shared memory,
// initialized to (0, −1); each point scans the entries for its cell, adds to the count on a match, and
// otherwise counts in device memory; at the end the block writes the table back. 8 bytes per entry, 4096
// entries = 32 KiB. No line of it ever stores a cell, so no point can match: `hits` is 0, every point pays
// for the whole scan and the flushed table is empty. Should move: shared-memory wavefronts and issue slots,
// one broadcast per entry and warp.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void scan_table(view<Count> v, int entries) {
  extern __shared__ int table[];
  int* cells = table;
  float* counts = reinterpret_cast<float*>(table + entries);
  tally<Instrumented> events;

  for (int e = threadIdx.x; e < entries; e += block_threads) {
    counts[e] = 0.0f;
    cells[e] = -1;
  }
  __syncthreads();

  Count* grid = v.cloud_grid();
  with_cell(v, point_of_thread(), events, [&](int cell) {
    for (int e = 0; e < entries; ++e) {
      if (cells[e] == cell) {
        atomicAdd(&counts[e], 1.0f);
        events.add(hits);
        return;
      }
    }
    events.add(fallbacks);
    add_to_cell(grid, cell, Count{1}, events);
  });
  __syncthreads();

  if (threadIdx.x == 0) events.add(groups);
  for (int e = threadIdx.x; e < entries; e += block_threads) {
    if (cells[e] >= 0 && counts[e] > 0.0f) {
      events.add(flushes);
      events.add(group_voxels);
      add_to_cell(grid, cells[e], static_cast<Count>(counts[e]), events);
    }
  }
  events.write(v.events);
}

void smem_linear_scan(launcher& to, const problem& p, const switches& s) {
  const int entries = static_cast<int>(s.integer("entries"));
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, scan_table<Count, instrumented>, grid_of(p, block_threads), dim3(block_threads),
           entries * (sizeof(int) + sizeof(float)), view<Count>(p), entries);
  });
}

}  // namespace ablate::voxelize
