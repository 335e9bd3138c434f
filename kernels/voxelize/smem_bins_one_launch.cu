// Counting in bins of cells (see smem_bins.cu) in one launch of persistent blocks: each partitions its share
// of the points, all blocks synchronize, and each counts its own bins in shared memory and writes them whole.
//
// What bounds two launches, by the record of 3.4 M uniform points on an H200
// (results/h200/voxelization_bins): reading the points, 40.5 MB, once takes 9.0 us at DRAM's ceiling. The
// partitioning kernel takes 18.0, with DRAM 47 % busy, issue slots 47 %, and 1.24 M shared-memory wavefronts,
// a quarter of its cycles; the counting kernel takes 8.9 more. There are no reductions, and 1.4 M requests
// hardly load L2. Nothing is saturated: a block of 4096 points loads, waits, partitions, waits, sums, waits
// and copies, the three blocks of an SM often wait together, and 83 instructions for each 32 points separate
// two loads. The potential gains: DRAM that never waits for a barrier, half of the instructions, and one
// launch.
//
// The idea: queues. A block keeps all its keys in shared memory, in one queue per bin: an atomic on the
// queue's length gives a key its place, where it is stored at once. No prefix sum, no ranks in registers, no
// second pass, and no barrier from a block's first point to its last: while some warps wait for their points,
// others insert. Then the block copies its queues to device memory, where each bin has a run of keys from
// each block. A point whose queue is full is set aside and counted at the end by merged reductions; in a
// cloud that crowds few bins these are most points, and direct kernels are faster. Cells are numbered through
// all clouds of a batch, so many small clouds, or a grid too large for all bins at once, only take more
// rounds. Layout: see queues.h. Should move: issue slots, to half; DRAM busy during partitioning, up; one
// launch less.
//
// The same on every chip: one block's keys go to all others, hence through L2. The shared memory of a
// cluster's eight blocks would fit a sixteenth of them.
#include <cooperative_groups.h>

#include "kernels/common/lane_peers.cuh"
#include "kernels/common/min_max.h"
#include "kernels/voxelize/bin_counts.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/queues.h"

namespace ablate::voxelize {

/// As many as leave a thread 72 registers: with 1024, state that outlives a loop would be spilled.
constexpr int owner_threads = 896, owner_warps = owner_threads / warp_lanes;
constexpr int runs_at_once = 4;  ///< of a warp: all are loaded before the first is counted

/// The plan and its memory as a kernel argument.
struct queues_view : queue_plan {
  uint4* keys;
  std::uint16_t* lengths;
  std::uint32_t *spilled_cells, *spilled;

  queues_view(const problem& p, const queue_plan& plan) : queue_plan(plan) {
    const queue_scratch memory(p, plan);
    keys = reinterpret_cast<uint4*>(memory.keys);
    lengths = memory.lengths;
    spilled_cells = memory.spilled_cells;
    spilled = memory.spilled;
  }

  __device__ uint4* keys_of(std::int64_t run) const { return keys + run * vectors_per_queue; }
  __device__ std::uint32_t* spilled_of(unsigned dealer) const {
    return spilled_cells + dealer * points_per_dealer();
  }
};

/// What a block keeps in shared memory beside its queues and counters.
struct owner_state {
  queue_round round;
  int fill[max_bins];  ///< keys put into each queue, those without room included
  unsigned spilled;    ///< of them, in all queues
};

/// Whether points of a round may be of several clouds, so that each one's is searched.
enum class round_clouds { one, several };

template <class Count, bool Instrumented>
class bin_owner {
 public:
  __device__ bin_owner(const view<Count>& v, const queues_view& plan, owner_state& own)
      : v_(v), plan_(plan), own_(own) {}

  __device__ void run(bool cleared) {
    const auto all_blocks = cooperative_groups::this_grid();
    clear_counters();
#pragma unroll 1
    for (int i = 0; i < plan_.rounds; ++i) {
      if (i > 0) all_blocks.sync();  // the runs of the round before are counted
      if (threadIdx.x == 0) own_.round = queue_round(plan_, i);
      __syncthreads();
      if (blockIdx.x < static_cast<unsigned>(plan_.dealers))
        own_.round.clouds == 1 ? deal<round_clouds::one>() : deal<round_clouds::several>();
      all_blocks.sync();
#pragma unroll 1
      for (int bin = static_cast<int>(blockIdx.x); bin < plan_.bins(); bin += static_cast<int>(gridDim.x))
        count(bin, cleared);
      const unsigned block = threadIdx.x;
      const bool any = block < static_cast<unsigned>(plan_.dealers) && plan_.spilled[block] > 0;
      if (__syncthreads_or(any)) {
        all_blocks.sync();  // every bin is written
        if (blockIdx.x < static_cast<unsigned>(plan_.dealers)) count_spilled();
      }
    }
    events_.write(v_.events);
  }

 private:
  static constexpr bool only_marks = std::is_same_v<Count, occupied> && !Instrumented;

  /// [bins][vectors_per_queue]
  __device__ static uint4* queues() {
    extern __shared__ uint4 queues_and_counters[];
    return queues_and_counters;
  }
  /// [cells_per_bin] counters, and four after them.
  __device__ int4* counters() const {
    return reinterpret_cast<int4*>(queues() + (plan_.vectors_per_queue << plan_.log2_bins));
  }
  __device__ int* counts() const { return reinterpret_cast<int*>(counters()); }

  /// Those of all places, and of padding keys.
  __device__ void clear_counters() const {
    for (int i = static_cast<int>(threadIdx.x); i <= plan_.cells_per_bin / 4; i += owner_threads)
      counters()[i] = make_int4(0, 0, 0, 0);
  }

  template <round_clouds Clouds>
  __device__ void deal() {
    const int thread = static_cast<int>(threadIdx.x);
    const queue_round& round = own_.round;
    const std::int64_t share = plan_.share(round.points), first = share * blockIdx.x;
    const int here = static_cast<int>(max(min(share, round.points - first), std::int64_t{0}));
    const float* const from = v_.points + 3 * (round.first_point + first);
    if (thread == 0) own_.spilled = 0;
#pragma unroll 1
    for (int part = 0; part < plan_.parts; ++part) {
      const int begin = min(part * plan_.points_per_part, here),
                end = min(begin + plan_.points_per_part, here);
      for (int bin = thread; bin < plan_.bins(); bin += owner_threads) own_.fill[bin] = 0;
      __syncthreads();
#pragma unroll 1
      for (int i = begin + points_at_once * thread; i < end; i += points_at_once * owner_threads) {
        float at[points_at_once][3];
        read_neighbors(at, from, i, end);
        put_four<Clouds>(first + i, at, min(points_at_once, end - i));
      }
      __syncthreads();
      write_queues(part);
      __syncthreads();
    }
    if (thread == 0) plan_.spilled[blockIdx.x] = own_.spilled;
  }

  /// Puts the keys of neighboring points, the round's `first` one and those after it, into the queues of
  /// their bins; `there` of them are points.
  template <round_clouds Clouds>
  __device__ void put_four(std::int64_t first, const float (&at)[points_at_once][3], int there) {
    const queue_round& round = own_.round;
    unsigned cells[points_at_once];
    int places[points_at_once];
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      const std::int64_t cloud_at = Clouds == round_clouds::one
                                        ? round.first_cloud_at
                                        : round.cloud_at(plan_, round.cloud_of(plan_, first + k));
      const int in_cloud = v_.cell_of(at[k][0], at[k][1], at[k][2]);
      // Cells of no round wrap around to numbers beyond all of this one's.
      cells[k] = static_cast<unsigned>(cloud_at) + static_cast<unsigned>(in_cloud);
      const bool is_here = in_cloud >= 0 && cells[k] < static_cast<unsigned>(round.cells);
      events_.add(points, k < there && cloud_at >= 0);
      events_.add(valid, is_here);
      places[k] = -1;
      if (is_here) places[k] = atomicAdd(own_.fill + plan_.bin_of(static_cast<int>(cells[k])), 1);
    }
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      if (places[k] < 0) continue;
      const int cell = static_cast<int>(cells[k]);
      if (places[k] < plan_.keys_per_queue()) {
        const int queue = plan_.bin_of(cell) * plan_.keys_per_queue();
        reinterpret_cast<std::uint16_t*>(queues())[queue + places[k]] =
            static_cast<std::uint16_t>(plan_.place_of(cell));
      } else {
        events_.add(fallbacks);
        plan_.spilled_of(blockIdx.x)[atomicAdd(&own_.spilled, 1u)] = cells[k];
      }
    }
  }

  /// Copies the queues to device memory, a warp for each, and says how long they are.
  __device__ void write_queues(int part) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const auto no_place = static_cast<unsigned>(plan_.cells_per_bin);
    for (int bin = static_cast<int>(threadIdx.x) / warp_lanes; bin < plan_.bins(); bin += owner_warps) {
      const std::int64_t run = plan_.run(bin, part, static_cast<int>(blockIdx.x));
      const int keys = min(own_.fill[bin], plan_.keys_per_queue());
      const int vectors = (keys + keys_per_vector - 1) / keys_per_vector;
      const uint4* const queue = queues() + bin * plan_.vectors_per_queue;
      uint4* const out = plan_.keys_of(run);
      for (int i = lane; i < vectors; i += warp_lanes) {
        const uint4 found = queue[i];
        const int left = keys - i * keys_per_vector;
        out[i] =
            make_uint4(padded_keys(found.x, left, no_place), padded_keys(found.y, left - 2, no_place),
                       padded_keys(found.z, left - 4, no_place), padded_keys(found.w, left - 6, no_place));
      }
      if (lane == 0) plan_.lengths[run] = static_cast<std::uint16_t>(vectors);
    }
  }

  /// Counts the keys of a bin, and writes its counters.
  __device__ void count(int bin, bool cleared) {
    if (holds_counts_) {
      __syncthreads();
      clear_counters();
      __syncthreads();
    }
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const std::uint16_t* const lengths = plan_.lengths + plan_.run(bin, 0, 0);
    const uint4* const runs = plan_.keys_of(plan_.run(bin, 0, 0));
    for (int first = static_cast<int>(threadIdx.x) / warp_lanes; first < plan_.runs();
         first += runs_at_once * owner_warps) {
      const int own = first + lane * owner_warps;
      const int length = lane < runs_at_once && own < plan_.runs() ? lengths[own] : 0;
      uint4 keys[runs_at_once];
      unsigned loaded = 0;
#pragma unroll
      for (int k = 0; k < runs_at_once; ++k)
        if (lane < __shfl_sync(whole_warp, length, k)) {
          keys[k] = runs[(first + k * owner_warps) * plan_.vectors_per_queue + lane];
          loaded |= 1u << k;
        }
#pragma unroll
      for (int k = 0; k < runs_at_once; ++k)
        if (loaded >> k & 1) count_keys<only_marks>(counts(), keys[k]);
#pragma unroll 1
      for (int k = 0; k < runs_at_once; ++k) {
        const int vectors = __shfl_sync(whole_warp, length, k);
        const uint4* const run = runs + (first + k * owner_warps) * plan_.vectors_per_queue;
        for (int i = lane + warp_lanes; i < vectors; i += warp_lanes)
          count_keys<only_marks>(counts(), run[i]);
      }
    }
    __syncthreads();
    write_bin<owner_threads>(plan_, plan_.cells_per_bin, counters(), bin, v_.grid + own_.round.first_cell,
                             own_.round.cells, cleared, true, events_);
    holds_counts_ = true;
  }

  /// Adds this block's points for which no queue had room.
  __device__ void count_spilled() {
    const std::uint32_t* const cells = plan_.spilled_of(blockIdx.x);
    const auto all = static_cast<int>(own_.spilled);
    for (int first = 0; first < all; first += owner_threads) {
      const int i = first + static_cast<int>(threadIdx.x);
      const int cell = i < all ? static_cast<int>(cells[i]) : -1;
      const lane_peers peers(cell);
      if (cell >= 0 && peers.leads())
        add_to_cell(v_.grid + own_.round.first_cell, cell, static_cast<Count>(peers.count()), events_);
    }
  }

  const view<Count>& v_;
  const queues_view& plan_;
  owner_state& own_;
  bool holds_counts_ = false;  ///< of a bin that is written
  tally<Instrumented> events_;
};

template <class Count, bool Instrumented>
__global__ __launch_bounds__(owner_threads, 1) void deal_and_count(const __grid_constant__ view<Count> v,
                                                                   const __grid_constant__ queues_view plan,
                                                                   bool cleared) {
  __shared__ owner_state own;
  bin_owner<Count, Instrumented>(v, plan, own).run(cleared);
}

void smem_bins_one_launch(launcher& to, const problem& p, const switches&) {
  const int blocks = to.device().multiprocessors;
  const queue_plan plan(p, blocks);
  const std::size_t bytes =
      sizeof(uint4) * (static_cast<std::size_t>(plan.vectors_per_queue) << plan.log2_bins) +
      sizeof(int) * (static_cast<std::size_t>(plan.cells_per_bin) + 4);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, deal_and_count<Count, instrumented>,
           {.grid = dim3(static_cast<unsigned>(std::min(blocks, std::max(plan.dealers, plan.bins())))),
            .block = dim3(owner_threads),
            .dynamic_shared_bytes = bytes,
            .cooperative = true},
           view<Count>(p), queues_view(p, plan), p.clears_grid);
  });
}

}  // namespace ablate::voxelize
