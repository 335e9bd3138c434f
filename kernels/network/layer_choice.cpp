// Which form of a layer is faster at its shape, as measured on an H200. Times below are medians in µs from
// cold caches. Two launches that were measured alone are added less 3.5 µs: by so much the ceiling `launch`
// exceeds `launch_hot`, a start that the second does not pay.
#include "kernels/network/layer_choice.h"

#include "kernels/mlp/mlp.h"

namespace ablate::backbone {
namespace {

using linear::epilogue;

/// Neither bias nor residual, which cuBLASLt does with the product: after it another launch reads and writes
/// all columns.
bool needs_launch_behind(epilogue behind) { return behind != epilogue::bias && behind != epilogue::residual; }

/// Products by warpgroups take whole steps of k and whole columns of 64.
bool fits_warpgroups(const layer_shape& s) {
  return s.inputs % 64 == 0 && s.outputs % (s.behind == epilogue::swiglu ? 128 : 64) == 0;
}

/// By mma.sync (results/h200/linear_layers, 24 576 rows, own against cuBLASLt): without an activation slower
/// at every width (qkv 13.8 against 11.8 at 64 channels, 162 against 70 at 512); with one, faster up to 128
/// inputs (SwiGLU 48.2 against 55.9, exact GELU 39.5 against 44.0), slower from 256 on (127 against 103, 88.5
/// against 79.6).
multiplier faster_on_mma(const layer_shape& s) {
  constexpr int max_inputs = 128;
  return needs_launch_behind(s.behind) && s.inputs <= max_inputs ? multiplier::own : multiplier::library;
}

/// By wgmma (results/h200/linear_layers). Weights stay in shared memory up to 512 inputs; beyond, cuBLASLt is
/// faster (residual, 24 576 rows: 29.3 against 46.5 at 1024 inputs, 82.8 against 105 at 2048). At 512 it is,
/// too, where only a bias follows (qkv: 17.4 against 18.2 at 4096 rows, 256 against 273 at 98 304),
/// but not with a residual (34.8 against 31.9) or SwiGLU (259 against 183).
multiplier faster_on_hopper(const layer_shape& s) {
  constexpr int max_inputs = 512, max_inputs_of_bias = 256;
  if (!fits_warpgroups(s)) return faster_on_mma(s);
  return s.inputs <= (s.behind == epilogue::bias ? max_inputs_of_bias : max_inputs) ? multiplier::own
                                                                                    : multiplier::library;
}

/// In the product, each tile of 128 columns normalizes the rows again. That costs as much as a launch at some
/// ten million elements (results/h200/linear_layers, results/h200/norms; product against launch and product):
/// 13.1 against 14.3 at 3.1 million (qkv of 64 channels, 24 576 rows), 18.9 against 18.0 at 9.4 (128
/// channels), 43.9 against 34.0 (256) and 52.0 against 44.7 (128, 98 304 rows) at 38, 107 against 66 at 101
/// (SwiGLU, 256). Rows of more than 256 elements have no such product; by mma.sync it is slower with every
/// width (qkv of 64 channels: 23.4 against 17.6).
norm_place faster_norm(const layer_shape& s) {
  constexpr std::int64_t max_normalized = 10'000'000;
  constexpr int max_inputs = 256, columns_of_tile = 128;
  if (!fits_warpgroups(s) || s.inputs > max_inputs) return norm_place::launch;
  const std::int64_t tiles = (s.outputs + columns_of_tile - 1) / columns_of_tile;
  return s.rows * s.inputs * tiles > max_normalized ? norm_place::launch : norm_place::product;
}

}  // namespace

layer_plan plan_of(layer_form form, const layer_shape& s) {
  layer_plan plan;
  if (is_by_library(form)) plan.by = multiplier::library;
  if (form == layer_form::separate) plan.bias = bias_place::launch;
  if (chooses_on_hopper(form)) plan.by = faster_on_hopper(s);
  if (chooses_on_mma(form)) plan.by = faster_on_mma(s);
  if (!s.has_norm) return plan;
  if (form == layer_form::own) {
    // Longer rows do not fit shared memory whole.
    if (s.inputs > linear::max_normed_inputs) plan.norm = norm_place::launch;
    return plan;
  }
  const bool has_choice = chooses_on_hopper(form) && plan.by == multiplier::own;
  plan.norm = has_choice ? faster_norm(s) : norm_place::launch;
  return plan;
}

/// results/h200/linear_layers, qkv with the bias's gradient: of 64 channels by mma.sync 18.5 against 20.8 (24
/// 576 rows) and 35.5 against 41.5 (98 304), of 512 channels 145 against 91. Rows and MLPs: cuBLASLt is never
/// slower (9.3 against 10.0 and 57.8 against 125; an MLP of 64 channels 107 against 165, 256 channels 304
/// against 652).
multiplier weight_gradient_by(layer_form form, int inputs) {
  constexpr int max_inputs = 64;
  const bool chooses = chooses_on_hopper(form) || chooses_on_mma(form);
  return chooses && inputs <= max_inputs ? multiplier::own : gradient_by(form);
}

/// results/h200/mlp_layers, SwiGLU, one launch against the library's: by wgmma 10.5 against 22.4 and more at
/// 64 and 128 channels; by mma.sync 17.4 against 20.1 and more at 32 channels, and at 64 from where 4096 rows
/// (26.8 against 22.4) and 24 576 (29.7 against 41.7) suggest, but not at 128 (38.3 against 26.0, 85.3
/// against 77.1, 248 against 231).
bool is_mlp_in_one_launch(layer_form form, std::int64_t rows, int channels) {
  if (is_by_library(form) || channels > mlp::max_fused_channels) return false;
  if (!chooses_on_mma(form)) return true;
  constexpr std::int64_t least_rows_of_64_channels = 10'000;
  return channels <= always_one_launch || (channels <= 64 && rows >= least_rows_of_64_channels);
}

}  // namespace ablate::backbone
