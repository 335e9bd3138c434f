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

// What each switch means: switches.h.
inline const switches by_library = {
    {"layers", "cublaslt"}, {"core", "wgmma"}, {"attention", "hopper_fixed_max"}, {"dq", "reductions"}};
inline const switches by_library_on_mma =
    by_library.with({{"core", "mma"}, {"attention", "mma_online"}, {"dq", "two_pass"}});
inline const switches fused = by_library.with({{"layers", "own"}});
inline const switches fused_on_mma = by_library_on_mma.with({{"layers", "own"}});
inline const switches per_layer_best = by_library.with({{"layers", "per_layer_best"}});
inline const switches per_layer_best_two_pass_dq = per_layer_best.with({{"dq", "two_pass"}});
inline const switches per_layer_best_persistent_dq = per_layer_best.with({{"dq", "persistent"}});
inline const switches second_stream = per_layer_best.with({{"weights", "second_stream"}});
inline const switches second_stream_four_groups = second_stream.with({{"dq", "four_groups"}});
inline const switches second_stream_private_dq = second_stream.with({{"dq", "private"}});
/// With the switch of window_attention's hopper_exp2_bf16x2.
inline const switches per_layer_best_exp2_bf16x2 =
    per_layer_best.with({{"attention", "hopper_exp2_bf16x2"}, {"exp2", "bf16x2_6of16"}, {"pdl", "on"}});
inline const switches second_stream_exp2_bf16x2 =
    per_layer_best_exp2_bf16x2.with({{"weights", "second_stream"}});
inline const switches exp2_bf16x2_four_groups =
    per_layer_best_exp2_bf16x2.with({{"weights", "second_stream_to_end"}, {"dq", "four_groups"}});
inline const switches exp2_bf16x2_private_dq = exp2_bf16x2_four_groups.with({{"dq", "private"}});
inline const switches fused_steps = per_layer_best.with({{"pdl", "on"}, {"steps", "fused"}});
inline const switches fused_steps_exp2_bf16x2 = per_layer_best_exp2_bf16x2.with({{"steps", "fused"}});
inline const switches pools_second_stream =
    fused_steps_exp2_bf16x2.with({{"tiles", "wave_fit"}, {"pools", "second_stream"}});
inline const switches per_layer_best_on_mma = by_library_on_mma.with({{"layers", "per_layer_best"}});
inline const switches fixed_max_on_mma = per_layer_best_on_mma.with({{"attention", "mma_fixed_max"}});
/// With the switch of window_attention's mma_exp2_bf16x2.
inline const switches exp2_bf16x2_on_mma =
    per_layer_best_on_mma.with({{"attention", "mma_exp2_bf16x2"}, {"exp2", "bf16x2_6of16"}});
inline const switches fused_steps_on_mma = fixed_max_on_mma.with({{"steps", "fused"}});
/// With the switches of window_attention's mma_published.
inline const switches by_published_attention = by_library.with({{"attention", "mma_published"},
                                                                {"normalize", "per_step"},
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
/// Launches of a step that follow each other. More: what steps take by themselves, without what is
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
