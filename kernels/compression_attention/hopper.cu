// Compression attention on Hopper, alone or with the choice of blocks: warpgroup MMAs, TMA, warp
// specialization.
//   S = Q·Kᵀ (a warpgroup's 64 queries × 64 or 96 keys, fp32 in registers), P = 2^(c·s − m), O += P·V with P
//   as the register operand, as in window_attention/hopper_forward.cuh; lists and softmax: hopper_core/.
// One producer thread copies queries, keys and values; keys and values pass through a ring of stages, and
// groups wait for tiles, not for each other, so that a warp that merges lists holds up only its own group.
// What costs time beside lists is filling them: every key beats an empty list. So the keys next to the
// queries, where images that see the same place are, are met twice: first for a bound on the least score of
// each list (best_cells), then, ahead of all others, to be listed.
// `launch=overlapped`: blocks begin, and set up, while the kernel before them ends.
// Should move: the tensor pipe's activity against attend.cuh; instructions a score between attention alone
// and with lists, by less than 2. Specification: gated_sparse_attention §4, C0, C2, C2d;
// sparse_attention_hopper §2.
#include <algorithm>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/hopper/row_boxes.h"
#include "kernels/compression_attention/hopper_core/consumer.cuh"

namespace ablate::compression_attention {
namespace by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The thread that copies.
template <class Shape, class Chooser>
class producer {
 public:
  using memory = block_memory<Shape, Chooser>;
  __device__ producer(const tensor_maps& maps, const view& v, int keys_before, memory& shared)
      : maps_(maps), v_(v), keys_before_(keys_before), shared_(shared) {}

  __device__ void run() {
    const query_tiles<Shape> tiles(v_);
    for (long long i = blockIdx.x; i < tiles.count(); i += gridDim.x) copy(tiles.head(i), tiles.first_row(i));
  }

 private:
  __device__ void copy(int head, int first_row) {
    const key_tiles keys = key_tiles_of<Shape>(v_, first_row, keys_before_);
    // Groups free their queries late, so the first keys are on their way before.
    const int seeding = Chooser::is_seeded ? seeding_tiles<Shape>(keys) : 0;
    for (int tile = 0; tile < seeding; ++tile) {
      copy_keys(keys[tile], head);
      if (tile == 0) copy_queries(first_row, head);
    }
    for (int tile = 0; tile < keys.count; ++tile) {
      copy_keys(keys[tile], head);
      if (tile == 0 && seeding == 0) copy_queries(first_row, head);
      copy_tile(shared_.values[values_at_.stage], maps_.values, keys[tile], head,
                shared_.values_full[values_at_.stage], shared_.values_empty[values_at_.stage],
                values_at_.parity);
      values_at_.template advance<Shape::stages>();
    }
  }

  __device__ void copy_keys(int tile, int head) {
    copy_tile(shared_.keys[keys_at_.stage], maps_.keys, tile, head, shared_.keys_full[keys_at_.stage],
              shared_.keys_empty[keys_at_.stage], keys_at_.parity);
    keys_at_.template advance<Shape::stages>();
  }

  __device__ void copy_queries(int first_row, int head) {
    for (int g = 0; g < Shape::groups; ++g) {
      hopper::wait(shared_.queries_empty[g], queries_parity_);
      hopper::arrive_expecting(shared_.queries_full[g], group_bytes);
      hopper::copy_box_in<width>(shared_.queries[g], maps_.queries, first_row + g * rows_per_group, 0, head,
                                 shared_.queries_full[g]);
    }
    queries_parity_ ^= 1;
  }

  __device__ static void copy_tile(void* to, const CUtensorMap& map, int tile, int head,
                                   hopper::barrier& full, hopper::barrier& empty, unsigned parity) {
    hopper::wait(empty, parity ^ 1);
    hopper::arrive_expecting(full, Shape::tile_bytes);
    hopper::copy_box_in<width>(to, map, tile * Shape::keys_per_tile, 0, head, full);
  }

  const tensor_maps& maps_;
  const view& v_;
  int keys_before_;
  memory& shared_;
  hopper::ring_position keys_at_, values_at_;
  unsigned queries_parity_ = 1;
};

#endif

template <class Shape, class Chooser>
__global__ __launch_bounds__(Shape::threads,
                             1) void attend_by_warpgroup(const __grid_constant__ tensor_maps maps,
                                                         const __grid_constant__ view v, int keys_before) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared =
      *reinterpret_cast<block_memory<Shape, Chooser>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * Shape::groups;
    for (int g = 0; g < Shape::groups; ++g) {
      hopper::initialize(shared.queries_full[g], 1);
      hopper::initialize(shared.queries_empty[g], 1);
    }
    for (int s = 0; s < Shape::stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  wait_for_previous_kernel();
  let_next_kernel_begin();
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group == 0) {
    hopper::give_registers<Shape::producer_registers>();
    if (threadIdx.x == 0) producer<Shape, Chooser>(maps, v, keys_before, shared).run();
  } else {
    hopper::take_registers<Shape::consumer_registers>();
    consumer<Shape, Chooser>(maps, v, keys_before, shared, group - 1).run();
  }
#endif
}

// Images that see the same places follow each other: what a row matches best is near.
int keys_before_queries(const switches& s) { return s.word("first_keys") == "near" ? 384 : -1; }

template <class Shape, class Chooser>
void run(launcher& to, const problem& p, const switches& s) {
  static_assert(sizeof(block_memory<Shape, Chooser>) + 1024 <= 227 * 1024, "what a block may have on Hopper");
  const view v(p);
  const auto map_of = [&](const std::uint16_t* base, unsigned box, std::int64_t rows) {
    return hopper::row_boxes(to, {base, p.heads, rows, 1, width, width, p.rows}, box);
  };
  // Keys that take no part are zeros, as those behind the last are.
  const tensor_maps maps = {
      map_of(p.q, rows_per_group, p.rows), map_of(p.k, Shape::keys_per_tile, p.attended_rows()),
      map_of(p.v, Shape::keys_per_tile, p.attended_rows()), map_of(p.out, rows_per_group, p.rows)};
  const auto blocks =
      static_cast<unsigned>(std::min<long long>(query_tiles<Shape>(v).count(), to.device().multiprocessors));
  launch(to, attend_by_warpgroup<Shape, Chooser>,
         {.grid = dim3(blocks),
          .block = dim3(Shape::threads),
          .dynamic_shared_bytes = sizeof(block_memory<Shape, Chooser>) + 1024,
          .overlaps_previous = s.has("launch")},
         maps, v, keys_before_queries(s));
}

/// A block of three groups reads each key for half again as many queries; with fewer than this many of its tiles
/// a multiprocessor, blocks of two leave less of the chip idle at the end.
constexpr long long tiles_for_three_groups = 4;

bool takes_three_groups(const launcher& to, const problem& p, const switches& s) {
  const std::string& groups = s.word("groups");
  if (groups != "by_rows") return groups == "3";
  return query_tiles<block_shape<3, 96, 3, 32, 160, true>>(view(p)).count() >=
         tiles_for_three_groups * to.device().multiprocessors;
}

}  // namespace by_warpgroup

using namespace by_warpgroup;

void hopper_attention_only(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  if (takes_three_groups(to, p, s))
    run<block_shape<3, 96, 3, 32, 160, true>, no_lists>(to, p, s);
  else
    run<block_shape<2, 96, 4, 24, 240, true>, no_lists>(to, p, s);
}

// Groups are uneven: in turns the slowest would set the pace. Beside the lists of three groups, shared memory
// has room for three stages of 96 keys or four of 64; of 64 places, those lists do not fit it at all.
void hopper_threshold(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  using two_groups = block_shape<2, 96, 4, 24, 240, false>;
  using three_groups = block_shape<3, 96, 3, 32, 160, false>;
  using three_groups_of_64 = block_shape<3, 64, 4, 32, 160, false>;
  if (p.selected > 32)
    run<two_groups, running_lists<true, when::multiplied, 2>>(to, p, s);
  else if (s.word("seeds") == "off")
    run<three_groups, running_lists<false>>(to, p, s);
  else if (s.has("tile_keys"))
    run<three_groups_of_64, running_lists<true>>(to, p, s);
  else if (takes_three_groups(to, p, s))
    run<three_groups, running_lists<true>>(to, p, s);
  else
    run<two_groups, running_lists<true>>(to, p, s);
}

// Few tiles have candidates, so that groups are even again. Merges beside running MMAs leave no registers for
// scores of 96 keys in three groups.
void hopper_threshold_skipping(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  using lists = running_lists<true, when::multiplying>;
  if (takes_three_groups(to, p, s))
    run<block_shape<3, 64, 4, 32, 160, true>, lists>(to, p, s);
  else
    run<block_shape<2, 96, 4, 24, 240, true>, lists>(to, p, s);
}

}  // namespace ablate::compression_attention
