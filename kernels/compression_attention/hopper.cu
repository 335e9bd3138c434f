// Compression attention on Hopper, alone or with the choice of blocks: warpgroup MMAs, TMA, warp
// specialization.
//   S = Q·Kᵀ (a warpgroup's 64 queries × 64 or 96 keys, fp32 in registers), P = 2^(c·s − m), O += P·V with P
//   as the register operand, as in window_attention/hopper_forward.cuh; lists: hopper_core/; softmax:
//   attention_core/lazy_softmax.cuh.
// One producer thread copies queries, keys and values; keys and values pass through a ring of stages, and
// groups wait for tiles, not for each other, so a warp that merges lists delays only its own group. Filling
// the lists is expensive: every key beats an empty list. So the keys next to the queries, from images of the
// same place, are read twice: first for a bound on the least score of each list (best_cells), then, before
// all others, to be listed. `seeds=off`: lists begin empty, and each key is read once.
// `pdl`: blocks set up while the preceding kernel ends.
// Should move: the tensor pipe's activity against attend.cuh;
// instructions a score between attention alone and with lists, by less than 2.
#include "kernels/compression_attention/hopper_core/kernel.cuh"
#include "kernels/compression_attention/launches.h"

namespace ablate::compression_attention {
namespace by_warpgroup {

constexpr block_shape two_groups = {.width = width,
                                    .groups = 2,
                                    .keys = 96,
                                    .stages = 4,
                                    .producer_registers = 24,
                                    .consumer_registers = 240,
                                    .overlaps = true};
constexpr block_shape three_groups = {.width = width,
                                      .groups = 3,
                                      .keys = 96,
                                      .stages = 3,
                                      .producer_registers = 32,
                                      .consumer_registers = 160,
                                      .overlaps = true};
constexpr block_shape three_groups_of_64_keys = {.width = width,
                                                 .groups = 3,
                                                 .keys = 64,
                                                 .stages = 4,
                                                 .producer_registers = 32,
                                                 .consumer_registers = 160,
                                                 .overlaps = true};

constexpr softmax_config lazy = {.form = softmax_form::lazy};

constexpr forward_config independent(const block_shape& block) {
  return {.block = block, .softmax = lazy, .query_buffers = 1};
}
constexpr forward_config in_turns(const block_shape& block) {
  return {.block = block, .softmax = lazy, .pingpong = true, .query_buffers = 1};
}

/// A block of three groups reads each key for half again as many queries; with fewer than this many of its
/// tiles a multiprocessor, blocks of two leave less of the chip idle at the end.
constexpr long long tiles_for_three_groups = 4;

bool takes_three_groups(const launcher& to, const problem& p, const switches& s) {
  const text_view groups = s.word("groups");
  if (groups != "by_rows") return groups == "3";
  return query_tiles<in_turns(three_groups)>(view(p)).count() >=
         tiles_for_three_groups * to.device().multiprocessors;
}

/// Lists of 32 places, seeded or not.
template <forward_config C>
void run_with_lists(launcher& to, const problem& p, const switches& s) {
  if (s.is_on("seeds"))
    run<C, running_lists<>>(to, p, s);
  else
    run<C, empty_lists>(to, p, s);
}

}  // namespace by_warpgroup

void hopper_attention_only(launcher& to, const problem& p, const switches& s) {
  using namespace by_warpgroup;
  if (takes_three_groups(to, p, s))
    run<in_turns(three_groups), no_lists>(to, p, s);
  else
    run<in_turns(two_groups), no_lists>(to, p, s);
}

// Groups are uneven: in turns the slowest would set the pace. Beside the lists of three groups, shared memory
// has room for three stages of 96 keys or four of 64; of 64 places, those lists do not fit it at all.
void hopper_threshold(launcher& to, const problem& p, const switches& s) {
  using namespace by_warpgroup;
  if (p.selected > 32)
    run<independent(two_groups), running_lists<when::multiplied, 2>>(to, p, s);
  else if (s.has("tile_keys"))
    run_with_lists<independent(three_groups_of_64_keys)>(to, p, s);
  else if (takes_three_groups(to, p, s))
    run_with_lists<independent(three_groups)>(to, p, s);
  else
    run_with_lists<independent(two_groups)>(to, p, s);
}

// Few tiles have candidates, so that groups are even again. Merges beside running MMAs leave no registers for
// scores of 96 keys in three groups.
void hopper_threshold_skipping(launcher& to, const problem& p, const switches& s) {
  using namespace by_warpgroup;
  using lists = running_lists<when::multiplying>;
  if (takes_three_groups(to, p, s))
    run<in_turns(three_groups_of_64_keys), lists>(to, p, s);
  else
    run<in_turns(two_groups), lists>(to, p, s);
}

}  // namespace ablate::compression_attention
