#pragma once

#include <bit>

#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

/// Voxel staging in a shared-memory table of (cell, count), addressed by a hash of the cell: slot = top bits
/// of cell · 2654435761 (Knuth's multiplicative hash). The first cell to reach a slot claims it by
/// compare-and-swap; points of that cell add in shared memory; a point whose `Probes` consecutive slots all
/// belong to other cells is counted in device memory. A block takes `points_per_block` points to amortize
/// clearing and flushing the table; the flush sends one reduction per claimed entry. Launched after the
/// kernel that clears the grid, a block fills its table while that still runs, and waits for it before it
/// sends anything.

constexpr int no_cell = -1;

/// A block's table; the number of entries is a power of two.
template <int Probes>
struct hashed_table {
  int* owners;
  int* counts;
  int log2_entries;

  __device__ hashed_table(int* memory, int log2_entries)
      : owners(memory), counts(memory + (1 << log2_entries)), log2_entries(log2_entries) {}

  __device__ int entries() const { return 1 << log2_entries; }

  __device__ void clear() {
    for (int e = threadIdx.x; e < entries(); e += blockDim.x) {
      owners[e] = no_cell;
      counts[e] = 0;
    }
  }

  /// Counts `merged` points of `cell`; false if no slot is free for them.
  template <bool Instrumented>
  __device__ bool count(int cell, int merged, tally<Instrumented>& events) {
    int slot = static_cast<int>((static_cast<unsigned>(cell) * 2654435761u) >> (32 - log2_entries));
#pragma unroll
    for (int probe = 0; probe < Probes; ++probe) {
      int owner = owners[slot];
      bool claimed = false;
      if (owner == no_cell) {
        owner = atomicCAS(owners + slot, no_cell, cell);
        claimed = owner == no_cell;
      }
      if (claimed || owner == cell) {
        if (claimed) events.add(group_voxels);
        events.add(hits, merged - claimed);
        atomicAdd(counts + slot, merged);
        return true;
      }
      events.add(conflicts);
      slot = (slot + 1) & (entries() - 1);
    }
    return false;
  }

  template <class Count, bool Instrumented>
  __device__ void flush(Count* grid, tally<Instrumented>& events) const {
    for (int e = threadIdx.x; e < entries(); e += blockDim.x) {
      if (owners[e] == no_cell) continue;
      events.add(flushes);
      add_to_cell(grid, owners[e], static_cast<Count>(counts[e]), events);
    }
  }
};

/// `Table`: a hashed_table, whose counts are integers whatever the grid's are: adding to an int in shared
/// memory is one instruction, to a float a compare-and-swap loop. `Merge`: of a warp's lanes whose points
/// share a cell, before they access the table.
template <class Count, class Table, class Merge, bool Instrumented>
__global__ __launch_bounds__(max_block_threads) void stage_in_table(view<Count> v, int points_per_block,
                                                                    int log2_entries) {
  extern __shared__ int shared[];
  Table table(shared, log2_entries);
  tally<Instrumented> events;
  table.clear();
  __syncthreads();

  Count* grid = v.cloud_grid();
  bool is_cleared = false;
  const auto wait_until_cleared = [&] {
    if (!is_cleared) wait_for_previous_kernel();
    is_cleared = true;
  };
  const auto count = [&](int cell, int merged) {
    if (table.count(cell, merged, events)) return;
    events.add(fallbacks, merged);
    wait_until_cleared();
    add_to_cell(grid, cell, static_cast<Count>(merged), events);
  };
  const long long first = static_cast<long long>(blockIdx.x) * points_per_block;
  const long long end = min(first + points_per_block, v.points_per_cloud);
  // Every lane runs every round, since merging needs the whole warp.
  for (long long round = first + threadIdx.x; round - threadIdx.x < end;
       round += points_at_once * blockDim.x) {
    int cells[points_at_once];
    v.cells_of_points(cells, v.cloud_points(), round, blockDim.x, end);
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      const int cell = cells[k];
      events.add(points, round + k * blockDim.x < end);
      events.add(valid, cell != no_cell);
      const merged_points merged = Merge()(cell);
      if (cell != no_cell && merged.leads) count(cell, merged.points);
    }
  }
  __syncthreads();

  if (threadIdx.x == 0) events.add(groups);
  wait_until_cleared();
  table.flush(grid, events);
  events.write(v.events);
}

/// How lanes of a cell are merged first.
enum class table_merge { none, by_match, by_shuffles };

struct table_config {
  int probes = 1;  ///< slots that a point tries
  table_merge merge = table_merge::none;
};

/// Launches with the switches `points_per_block`, `entries`, `threads`, `pdl`.
template <table_config Config>
void launch_table(launcher& to, const problem& p, const switches& s) {
  const int points_per_block = points_per_block_of(to, p, s);
  const unsigned entries = static_cast<unsigned>(s.integer("entries"));
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    using merge = std::conditional_t<
        Config.merge == table_merge::none, no_merge,
        std::conditional_t<Config.merge == table_merge::by_match, merge_by_match, merge_by_shuffles>>;
    launch(to, stage_in_table<Count, hashed_table<Config.probes>, merge, instrumented>,
           {.grid = grid_of(p, points_per_block),
            .block = dim3(threads_of(s)),
            .dynamic_shared_bytes = entries * 2 * sizeof(int),
            .overlaps_previous = overlaps_clearing(p, s)},
           view<Count>(p), points_per_block, std::countr_zero(entries));
  });
}

}  // namespace ablate::voxelize
