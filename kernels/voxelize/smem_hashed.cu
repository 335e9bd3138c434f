// Voxel staging engineered: a direct-mapped table of (cell, count) in shared memory, one access a point
// instead of a scan. slot = top bits of cell · 2654435761 (Knuth's multiplicative hash). The first cell to
// reach a slot claims it by compare-and-swap; points of that cell add in shared memory; points of another
// cell count in device memory. A block takes `points_per_block` points, so that clearing and flushing the
// table is shared by many of them; the flush sends one reduction for each claimed entry. Should move: L2
// reduction sectors, down by the number of points that share a cell within a block's points; shared atomics,
// up.
#include <bit>

#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int no_cell = -1;
constexpr int points_per_block_choices[] = {8192, 4096, 1024, 256};

/// `Shared` is the type of the counts in shared memory: adding to an int is one instruction there, to a float
/// a loop of compare-and-swaps.
template <class Count, class Shared, bool Instrumented>
__global__ __launch_bounds__(block_threads) void stage_in_table(view<Count> v, int points_per_block,
                                                                int log2_entries) {
  extern __shared__ int table[];
  const int entries = 1 << log2_entries;
  int* owners = table;
  Shared* counts = reinterpret_cast<Shared*>(table + entries);
  tally<Instrumented> events;

  for (int e = threadIdx.x; e < entries; e += block_threads) {
    owners[e] = no_cell;
    counts[e] = Shared{0};
  }
  __syncthreads();

  Count* grid = v.cloud_grid();
  const long long first = static_cast<long long>(blockIdx.x) * points_per_block;
  const long long end = min(first + points_per_block, v.points_per_cloud);
#pragma unroll 4
  for (long long i = first + threadIdx.x; i < end; i += block_threads) {
    with_cell(v, i, events, [&](int cell) {
      const int slot = static_cast<int>((static_cast<unsigned>(cell) * 2654435761u) >> (32 - log2_entries));
      int owner = owners[slot];
      bool claimed = false;
      if (owner == no_cell) {
        owner = atomicCAS(owners + slot, no_cell, cell);
        claimed = owner == no_cell;
      }
      if (claimed || owner == cell) {
        events.add(claimed ? group_voxels : hits);
        atomicAdd(counts + slot, Shared{1});
      } else {
        events.add(conflicts);
        events.add(fallbacks);
        add_to_cell(grid, cell, Count{1}, events);
      }
    });
  }
  __syncthreads();

  if (threadIdx.x == 0) events.add(groups);
  for (int e = threadIdx.x; e < entries; e += block_threads) {
    if (owners[e] == no_cell) continue;
    events.add(flushes);
    add_to_cell(grid, owners[e], static_cast<Count>(counts[e]), events);
  }
  events.write(v.events);
}

namespace {

// More points a block amortize the table better, as long as every multiprocessor still gets a block.
int choose_points_per_block(const launcher& to, const problem& p) {
  for (int choice : points_per_block_choices)
    if (p.batch * ((p.points_per_cloud + choice - 1) / choice) >= to.device().multiprocessors) return choice;
  return block_threads;
}

}  // namespace

void smem_hashed(launcher& to, const problem& p, const switches& s) {
  const int points_per_block = s.word("points_per_block") == "auto"
                                   ? choose_points_per_block(to, p)
                                   : static_cast<int>(s.integer("points_per_block"));
  const unsigned entries = static_cast<unsigned>(s.integer("entries"));
  const bool float_counts = s.word("count") == "f32";
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    auto* kernel = &stage_in_table<Count, int, instrumented>;
    if constexpr (std::is_same_v<Count, float>)
      if (float_counts) kernel = &stage_in_table<Count, float, instrumented>;
    launch(to, kernel, grid_of(p, points_per_block), dim3(block_threads), entries * 2 * sizeof(int),
           view<Count>(p), points_per_block, std::countr_zero(entries));
  });
}

}  // namespace ablate::voxelize
