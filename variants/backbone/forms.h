#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "harness/registry/operation.h"
#include "kernels/backbone/backbone.h"
#include "kernels/common/switches.h"

// What the operations backbone and block have in common: forms of a pass as switches, axes, clock, read-back.

namespace ablate::backbone {

/// `layers`: cublaslt, with launches of their own for norms and activations; cublaslt_separate, for biases
/// and residuals too; own, kernels that take these along, both layers of an MLP in one launch where C ≤ 128;
/// by_shape, each layer by the one that is faster (layer_choice.h). `steps`: joined, what stands between
/// layers and attention in fewer launches (network::joins). `core`: the products of own kernels. `dq`, of
/// training: how attention's gradients add up those of its queries, by reductions, in another order each
/// time, also in blocks that persist, or in a pass of its own, or in blocks that have all keys of a window,
/// the same bits each time; of heads of 16 channels also by reductions of four warpgroups a block, in pairs
/// or each alone. `launch`: overlapped, own kernels begin while the one in front still runs.
/// `weights`: beside, gradients of parameters on a second stream while those of rows go on; beside_to_end,
/// nothing waits for them before the end. `pools`: beside, the index of pools in buckets on a second stream
/// while the first level's blocks run. `prefetch`: weights, to L2 on that stream while attention runs.
/// `tiles`: of narrow heads' attention, of 192 queries where those of 256 would leave most multiprocessors
/// idle in their last round.
inline const switches by_library = {
    {"layers", "cublaslt"}, {"core", "wgmma"}, {"attention", "hopper_first_tile"}, {"dq", "reductions"}};
inline const switches in_separate_steps = by_library.with({{"layers", "cublaslt_separate"}});
inline const switches by_library_on_mma =
    by_library.with({{"core", "mma"}, {"attention", "mma_online"}, {"dq", "two_pass"}});
inline const switches fused = by_library.with({{"layers", "own"}});
inline const switches fused_dependent = fused.with({{"launch", "overlapped"}});
inline const switches fused_on_mma = by_library_on_mma.with({{"layers", "own"}});
inline const switches chosen = by_library.with({{"layers", "by_shape"}});
inline const switches chosen_in_two_passes = chosen.with({{"dq", "two_pass"}});
inline const switches chosen_beside = chosen.with({{"weights", "beside"}});
inline const switches chosen_beside_by_windows = chosen_beside.with({{"dq", "owned"}});
inline const switches chosen_beside_by_four_groups = chosen_beside.with({{"dq", "four_groups"}});
inline const switches chosen_beside_by_lone_groups = chosen_beside.with({{"dq", "lone_groups"}});
inline const switches chosen_beside_to_end = chosen.with({{"weights", "beside_to_end"}});
inline const switches chosen_beside_to_end_by_windows = chosen_beside_to_end.with({{"dq", "owned"}});
inline const switches chosen_persistent = chosen.with({{"dq", "persistent"}});
inline const switches chosen_dependent = chosen.with({{"launch", "overlapped"}});
/// With the switch of window_attention's hopper_packed_6_of_16.
inline const switches chosen_packed =
    chosen_dependent.with({{"attention", "hopper_packed"}, {"exp2", "6_of_16_packed"}});
inline const switches chosen_beside_packed = chosen_packed.with({{"weights", "beside"}});
inline const switches chosen_packed_four_groups =
    chosen_packed.with({{"weights", "beside_to_end"}, {"dq", "four_groups"}});
inline const switches chosen_packed_lone_groups = chosen_packed_four_groups.with({{"dq", "lone_groups"}});
inline const switches chosen_joined = chosen_dependent.with({{"steps", "joined"}});
inline const switches chosen_joined_packed = chosen_packed.with({{"steps", "joined"}});
inline const switches chosen_tiled = chosen_joined_packed.with({{"tiles", "by_rounds"}});
inline const switches chosen_tiled_overlapped =
    chosen_joined_packed.with({{"tiles", "by_rounds_overlapped"}});
inline const switches chosen_tiled_beside = chosen_tiled.with({{"pools", "beside"}});
inline const switches chosen_tiled_ahead = chosen_tiled_beside.with({{"prefetch", "weights"}});
inline const switches chosen_tiled_overlapped_ahead =
    chosen_tiled_ahead.with({{"tiles", "by_rounds_overlapped"}});
inline const switches chosen_by_rounds = chosen.with({{"attention", "hopper_by_rounds"}});
inline const switches chosen_on_mma = by_library_on_mma.with({{"layers", "by_shape"}});
inline const switches chosen_first_tile_on_mma = chosen_on_mma.with({{"attention", "mma_first_tile"}});
/// With the switch of window_attention's mma_packed_6_of_16.
inline const switches chosen_packed_on_mma =
    chosen_on_mma.with({{"attention", "mma_packed"}, {"exp2", "6_of_16_packed"}});
inline const switches chosen_joined_on_mma = chosen_first_tile_on_mma.with({{"steps", "joined"}});
/// With the switches of window_attention's mma_published.
inline const switches by_published_attention = by_library.with({{"attention", "mma_published"},
                                                                {"division", "each_step"},
                                                                {"exponential", "expf"},
                                                                {"smem_request", "max"},
                                                                {"grid", "windows"}});

inline axis window_axis() {
  return axis::of_integers("window", 256, 1 << 16, 4096, "tokens that attend to each other: whole buckets");
}
inline axis bucket_axis() {
  return axis::of_integers("bucket", 128, 1 << 16, 512, "rows that stay together, a multiple of 128");
}
inline axis head_width_axis() {
  return axis::of_words("head_width", {"16", "64"}, "channels of a head, at most");
}
inline axis host_axis() {
  return axis::of_words(
      "host", {"absent", "published", "graph"},
      "absent: nothing waits; published: the host waits where the published code does, timed "
      "by the host's clock; graph: absent, in a CUDA graph, by the host's clock");
}

inline axis pass_axis() {
  return axis::of_words("pass", {"inference", "training"},
                        "forward; or forward and, from the gradient of the output, the gradients of all "
                        "parameters and of a block's rows")
      .silent_at_default();
}
inline pass_kind pass_at(const axis_values& at) {
  return at.word("pass") == "training" ? pass_kind::training : pass_kind::inference;
}
/// Silent where there is none: the greatest rate, and its seed that of the inputs.
inline axis drop_axis() {
  return axis::of_words("drop", {"0", "0.3"},
                        "drop path, in training: the probability that a row's branch is left out in the last "
                        "block; in those of a backbone it rises to that from 0")
      .silent_at_default();
}
inline drop_path drops_at(const axis_values& at, const input_library& inputs) {
  return {at.word("drop") == "0" ? 0.0f : 0.3f, inputs.seed()};
}
/// Why nothing is dropped here, or nothing.
std::optional<std::string> refuses_drop(const axis_values&);
/// Launches of a step that follow each other. More: what steps take by themselves, without what stands
/// between them.
inline axis step_launches_axis() {
  return axis::of_integers("step_launches", 1, 64, 1,
                           "times that each step is launched before the next one: more than once for what "
                           "steps take by themselves")
      .silent_at_default();
}

/// Why these are no windows, or nothing.
std::optional<std::string> refuses_windows(const axis_values&);
/// Why steps are not launched so many times where the host does this, or nothing.
std::optional<std::string> refuses_step_launches(const axis_values&);
window_shape windows_at(const axis_values&);

region_clock clock(const problem&);

}  // namespace ablate::backbone
