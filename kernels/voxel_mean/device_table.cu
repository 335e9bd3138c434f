// Sums of the occupied cells alone: a hash table in device memory gives each of them a slot, its points are
// summed there, and one pass over the slots divides and writes each mean to its cell. So nothing is added to
// the grid, whose clearing is most of the time where few cells are occupied: the same launch does both, some
// blocks adding while the others clear. What must be cleared before, the table, is a fraction of it. Lanes
// whose points lie in one cell sum first, as in warp_match. Layout: [slots] cells, [slots] counts,
// [slots][features] sums. `launch=overlapped`: each kernel starts while the one before it still runs. Should
// move: time, by the additions and by a pass over all counts; L2 sectors, down by the latter.
#include "kernels/common/cell_hash.cuh"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/fill.cuh"
#include "kernels/voxel_mean/table.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

/// The table as a kernel argument.
struct table_view : cell_hash {
  int* counts;
  float* sums;

  explicit table_view(const problem& p)
      : cell_hash(sums_table(p).keys, table_slots(p)),
        counts(sums_table(p).counts),
        sums(sums_table(p).sums) {}

  template <int Features>
  __device__ float* sums_of(int slot) const {
    return sums + static_cast<long long>(Features) * slot;
  }
};

/// What the blocks that do not add clear, one span behind the other.
struct cleared_grid {
  word_span means, counts;

  __host__ __device__ static long long parts_of(const word_span& s) {
    return (s.words + words_per_fill_block - 1) / words_per_fill_block;
  }
  __host__ __device__ long long parts() const { return parts_of(means) + parts_of(counts); }
  __device__ void clear_part(long long part) const {
    const long long of_means = parts_of(means);
    part < of_means ? fill_part(means, part) : fill_part(counts, part - of_means);
  }
};

/// The first `adding` blocks along x take a cloud's points; all others clear the grids of all clouds.
template <int Features, int Width>
__global__ __launch_bounds__(block_threads) void add_to_table(view v, table_view table, cleared_grid grid,
                                                              unsigned adding) {
  static_assert(block_threads == fill_threads);
  let_next_kernel_begin();
  if (blockIdx.x >= adding)
    return grid.clear_part(blockIdx.x - adding + 1ll * blockIdx.y * (gridDim.x - adding));
  constexpr int loaded = vector_width<Features>;
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  const bool sends = cell >= 0 && peers.leads();
  int slot = 0;
#pragma unroll 2
  for (int f = 0; f < Features; f += loaded) {
    float sums[loaded] = {};
    if (cell >= 0) load(sums, v.features_of<Features>(i) + f);
    peers.sum(sums);
    if (f == 0) {
      wait_for_previous_kernel();
      if (sends) {
        slot = table.claim<false>(cell);
        atomicAdd(table.counts + slot, peers.count());
      }
    }
    if (sends) add<Width>(table.sums_of<Features>(slot) + f, sums);
  }
}

/// A thread takes up to four features of a slot.
template <int Features>
__global__ __launch_bounds__(block_threads) void write_means(view v, table_view table) {
  constexpr int width = vector_width<Features>, threads_of_slot = Features / width;
  const long long thread = point_of_thread();
  const long long slot = thread / threads_of_slot;
  const int first = static_cast<int>(thread % threads_of_slot) * width;
  wait_for_previous_kernel();
  if (slot > table.mask) return;
  // Of few features all are read at once: those of empty slots cost less than a second round trip.
  constexpr bool reads_all = Features <= 8;
  const float* const sums = table.sums_of<Features>(static_cast<int>(slot)) + first;
  const int cell = table.keys[slot], points = table.counts[slot];
  float means[width];
  if constexpr (reads_all) load(means, sums);
  if (cell < 0) return;
  if constexpr (!reads_all) load(means, sums);
#pragma unroll
  for (float& mean : means) mean = __fdiv_rn(mean, __int2float_rn(points));
  store(v.sums_of<Features>(cell) + first, means);
  if (first == 0) v.count[cell] = points;
}

void device_table(launcher& to, const problem& p, const switches& s) {
  const bool overlaps = s.has("launch");
  const sums_table memory(p);
  const std::int64_t slots = table_slots(p);
  const std::int64_t cleared = p.clears_grid ? p.all_cells() : 0;
  const cleared_grid cells{{p.mean, cleared * p.features, 0}, {p.count, cleared, 0}};
  fill(to, {{memory.keys, slots, cell_hash::empty_key},
            {memory.counts, slots, 0},
            {memory.sums, slots * p.features, 0}});
  const auto add_and_write = [&](auto features, auto width) {
    const dim3 adding = grid_of(p, block_threads);
    const unsigned clearing = blocks_for(cells.parts(), p.batch);
    launch(to, add_to_table<features, width>,
           {.grid = dim3(adding.x + clearing, adding.y),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps},
           view(p), table_view(p), cells, adding.x);
    launch(
        to, write_means<features>,
        {.grid = dim3(blocks_for(slots * (features / vector_width<features>), block_threads)),
         .block = dim3(block_threads),
         // Blocks that clear wait for nothing: without points, the table may not be cleared before they end.
         .overlaps_previous = overlaps && adding.x > 0},
        view(p), table_view(p));
  };
  with_features(p, [&](auto features) {
    if constexpr (features % 4 == 0)
      if (s.integer("width") == 4) return add_and_write(features, std::integral_constant<int, 4>{});
    add_and_write(features, std::integral_constant<int, 1>{});
  });
}

}  // namespace ablate::voxel_mean
