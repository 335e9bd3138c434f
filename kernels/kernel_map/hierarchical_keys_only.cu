// `hierarchical` with a cell set that holds only keys and is no larger than the cells need. The published set
// has two slots per row, whatever the cells, and beside each key a number that the mask does not use. But the
// size depends on the number of cells, and the host would have to read that count. So the cells are numbered
// as published, then inserted again, by number, into a set of at least twice as many slots, a power of two
// that every thread derives from the count in device memory. Should move: L2 hits of the coarse probes, up;
// added: a second insertion, of cells rather than rows.

#include "kernels/common/min_max.h"
#include "kernels/kernel_map/launches.h"
#include "kernels/kernel_map/probe_cells.cuh"

namespace ablate::kernel_map {

constexpr int key_threads = 256;

struct key_slots {
  static constexpr int nothing = -1;
  unsigned long long* keys;
  const std::uint32_t* cell_count;

  __device__ unsigned mask() const {
    const unsigned at_least = max(16u, 2 * *cell_count);
    return ~0u >> __clz(static_cast<int>(at_least - 1));
  }
  __device__ unsigned long long& key(unsigned slot) const { return keys[slot]; }
  __device__ key_alone look(unsigned slot) const { return {keys[slot]}; }
  __device__ int value(unsigned, key_alone) const { return 0; }
};
using key_set = cell_set<key_slots>;

inline key_set keys_in(const scratch& s) {
  return {{reinterpret_cast<unsigned long long*>(s.coarse_maps), s.cell_count}};
}

__global__ __launch_bounds__(key_threads) void clear_keys(const key_set cells) {
  const unsigned last = cells.mask(), threads = gridDim.x * key_threads;
  for (unsigned slot = blockIdx.x * key_threads + threadIdx.x; slot <= last; slot += threads)
    cells.keys[slot] = 0;
}

__global__ __launch_bounds__(key_threads) void put_cells(view v, const key_set cells) {
  const unsigned count = *v.scratch.cell_count, threads = gridDim.x * key_threads;
  for (unsigned id = blockIdx.x * key_threads + threadIdx.x; id < count; id += threads) {
    bool mine;
    cells.put(reinterpret_cast<const coordinate*>(v.scratch.cell_coordinates)[id], mine);
  }
}

void hierarchical_keys_only(launcher& to, const problem& p, const switches& s) {
  const int edge = stride_of_cells(s);
  const cell_box box = box_of(p, edge);
  const view v(p);
  const key_set cells = keys_in(v.scratch);
  const dim3 block(key_threads);
  // The cells are counted on the device: enough blocks to fill it, no more than the rows could need.
  const unsigned most = 8 * static_cast<unsigned>(to.device().multiprocessors);
  const dim3 grid(std::min(most, blocks_for(v.scratch.coarse_slots, key_threads)));
  run_pruned(
      to, p, searched_offsets::all,
      [&] {
        number_all_cells(to, p, edge);
        launch(to, clear_keys, grid, block, 0, cells);
        launch(to, put_cells, grid, block, 0, v, cells);
        end_stage(to, p, v.scratch.cell_count);
      },
      [&] {
        probe_all_cells<probed_cells::fixed_box>(to, p, cells, box, searched_offsets::all);
        search_occupied_cells(to, p, box);
      });
}

}  // namespace ablate::kernel_map
