// Voxel staging, the study's approach B: a table of (count, int32 cell) in shared memory, which each point
// scans from the first entry; a point without a match counts in device memory, and at the end the block
// flushes the table. 8 bytes per entry, 4096 entries = 32 KiB.
//   as written   fp32 counts, initialized to (0, −1). No line ever stores a cell, so no point can match:
//                `hits` is 0, every point pays for the whole scan and the flushed table is empty. Should
//                move: shared-memory wavefronts and issue slots, one broadcast per entry and warp.
//   claim=on     the smallest repair: a point stops at its own cell, or claims the first empty entry by
//                compare-and-swap. `hits` is no longer 0, and the scan ends after as many entries as the
//                block has found cells so far. Should move: shared-memory wavefronts, down by that; L2
//                reduction sectors, down by the points that share a cell within the block's 256.
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

constexpr int empty_entry = -1;

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void claim_in_order(view<Count> v, int entries) {
  extern __shared__ int table[];
  int* cells = table;
  int* counts = table + entries;
  tally<Instrumented> events;

  for (int e = threadIdx.x; e < entries; e += block_threads) {
    counts[e] = 0;
    cells[e] = empty_entry;
  }
  __syncthreads();

  Count* grid = v.cloud_grid();
  with_cell(v, point_of_thread(), events, [&](int cell) {
    for (int e = 0; e < entries; ++e) {
      int owner = *const_cast<volatile int*>(cells + e);  // another thread may claim it meanwhile
      if (owner == empty_entry) {
        owner = atomicCAS(cells + e, empty_entry, cell);
        if (owner == empty_entry) {
          events.add(group_voxels);
          atomicAdd(counts + e, 1);
          return;
        }
      }
      if (owner == cell) {
        events.add(hits);
        atomicAdd(counts + e, 1);
        return;
      }
    }
    events.add(fallbacks);
    add_to_cell(grid, cell, Count{1}, events);
  });
  __syncthreads();

  if (threadIdx.x == 0) events.add(groups);
  for (int e = threadIdx.x; e < entries; e += block_threads) {
    if (cells[e] == empty_entry) continue;
    events.add(flushes);
    add_to_cell(grid, cells[e], static_cast<Count>(counts[e]), events);
  }
  events.write(v.events);
}

void smem_linear(launcher& to, const problem& p, const switches& s) {
  const int entries = static_cast<int>(s.integer("entries"));
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, s.has("claim") ? claim_in_order<Count, instrumented> : scan_table<Count, instrumented>,
           grid_of(p, block_threads), dim3(block_threads), entries * 2 * sizeof(int), view<Count>(p),
           entries);
  });
}

}  // namespace ablate::voxelize
