// What the variants that match bitmaps of 4³ cells share: bits of a map, the numbers of a cell's neighbors,
// and each group's places in the lists. A group is 32 cells, one per lane of a warp.
#pragma once

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

constexpr int resident_match_blocks = 5;  ///< per SM, limited by threads and registers
constexpr int neighbor_threads = 8;       ///< that split the neighbors of a cell

/// As many blocks as the device holds at once; none without rows.
inline unsigned match_blocks(const launcher& to, const problem& p) {
  return p.rows == 0 ? 0 : resident_match_blocks * static_cast<unsigned>(to.device().multiprocessors);
}

/// Groups of the cells that there are.
__device__ inline unsigned groups_of(const view& v) { return (v.scratch.cell_count[0] + 31) / 32; }

__device__ inline unsigned long long below(int place) { return (1ull << place) - 1; }

/// The place of the set bit with `rank` set bits below it.
__device__ inline int place_of_rank(unsigned long long bits, int rank) {
  unsigned half = static_cast<unsigned>(bits);
  int place = 0;
  if (const int lower = __popc(half); rank >= lower) {
    rank -= lower;
    place = 32;
    half = static_cast<unsigned>(bits >> 32);
  }
#pragma unroll
  for (int width = 16; width > 0; width /= 2) {
    const int lower = __popc(half & ((1u << width) - 1));
    if (rank < lower) continue;
    rank -= lower;
    place += width;
    half >>= width;
  }
  return place;
}

/// The numbers of the cells around each cell, or −1: [cells of the box][rows], in the memory of the dense
/// table, which these variants do not use. It fits: undilated, an axis has no more cells than offsets.
template <class Table, bool Instrumented>
__global__ __launch_bounds__(32 * neighbor_threads) void find_neighbors(view v, const Table table,
                                                                        cell_box box) {
  tally<Instrumented> events;
  const unsigned cells = v.scratch.cell_count[0], groups = groups_of(v);
  for (unsigned group = blockIdx.x; group < groups; group += gridDim.x) {
    const unsigned id = group * 32 + threadIdx.x;
    if (id >= cells) continue;
    const coordinate at = reinterpret_cast<const coordinate*>(v.scratch.cell_coordinates)[id];
    for (int i = static_cast<int>(threadIdx.y); i < box.cells(); i += neighbor_threads) {
      const int3 d = box.cell(i);
      unsigned looked = 0;
      const bool itself = d.x == 0 && d.y == 0 && d.z == 0;
      v.scratch.dense[i * v.rows + id] =
          itself ? static_cast<int>(id) : table.find(neighbor(at, d, box.shift, v.guards), looked);
      events.add(coarse_probes, looked);
    }
  }
  events.write(v.events);
}

template <class Table>
void find_all_neighbors(launcher& to, const problem& p, const Table& table, const cell_box& box) {
  with_form(p, [&](auto instrumented) {
    launch(to, find_neighbors<Table, instrumented>, dim3(match_blocks(to, p)), dim3(32, neighbor_threads), 0,
           view(p), table, box);
  });
}

/// scratch.block_counts [groups][offsets], the first `offsets` of the kernel → exclusive sums within chunks
/// of groups; scratch.chunk_counts → exclusive sums over the chunks; the totals in scratch.counts.
void sum_group_counts(launcher&, const problem&, int offsets);

}  // namespace ablate::kernel_map
