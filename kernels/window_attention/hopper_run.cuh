// Launches of the forward core on Hopper (hopper_forward.cuh), and the shape of a block at each width.
#pragma once

#include "kernels/common/hopper/row_boxes.h"
#include "kernels/common/min_max.h"
#include "kernels/window_attention/hopper_forward.cuh"
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/key_norms.cuh"

namespace ablate::window_attention {

constexpr block_shape block_16 = {
    .width = 16, .groups = 4, .stages = 4, .producer_registers = 32, .consumer_registers = 112};
constexpr block_shape block_32 = {
    .width = 32, .groups = 4, .stages = 4, .producer_registers = 32, .consumer_registers = 112};
constexpr block_shape block_64 = {.width = 64,
                                  .groups = 3,
                                  .stages = 3,
                                  .producer_registers = 32,
                                  .consumer_registers = 160,
                                  .overlaps = true};
/// For short windows, where three groups of 64 queries would leave much of a third tile empty.
constexpr block_shape short_block_64 = {.width = 64,
                                        .groups = 2,
                                        .stages = 5,
                                        .producer_registers = 24,
                                        .consumer_registers = 240,
                                        .overlaps = true,
                                        .redone_rows = block_64.query_rows()};
constexpr block_shape block_128 = {.width = 128,
                                   .groups = 2,
                                   .stages = 2,
                                   .producer_registers = 24,
                                   .consumer_registers = 240,
                                   .overlaps = true};

template <forward_config C>
void run(launcher& to, const problem& p, blocks_of_run form = blocks_of_run::persistent) {
  const view v(p, C.block.query_rows());
  const auto map_of = [&](const std::uint16_t* base, std::int64_t token_stride, unsigned rows) {
    return hopper::row_boxes(to, {base, p.batches, p.tokens, p.heads, p.width, token_stride}, rows);
  };
  const forward_maps maps = {
      map_of(p.q, p.qkv_stride(), rows_per_group), map_of(p.k, p.qkv_stride(), keys_per_tile),
      map_of(p.v, p.qkv_stride(), keys_per_tile), map_of(p.out, p.heads * p.width, rows_per_group)};
  const long long most = form == blocks_of_run::persistent ? to.device().multiprocessors : v.query_tiles;
  const auto blocks = static_cast<unsigned>(std::min<long long>(v.query_tiles, most));
  if (C.softmax.form == softmax_form::bounded) measure_keys(to, p);
  launch(to, attend_on_hopper<configured<C>>,
         geometry{.grid = dim3(blocks),
                  .block = dim3(C.block.threads()),
                  .dynamic_shared_bytes = sizeof(memory_of<C>) + 1024,
                  .overlaps_previous = p.begins_early},
         maps, v);
}

/// At 64 elements a head: windows whose loop is long against what comes before and after it.
inline bool is_long_window(const problem& p) { return p.window >= 2048; }

/// Does the query tiles on the list, which are those of the width's shape, online.
void attend_listed_tiles(launcher&, const problem&);

/// The first launch puts query tiles on the list that its softmax could not do, the second does them again.
/// `C.block`: that of the width, or one that lists tiles of that size (block_shape::redone_rows).
template <forward_config C>
void run_and_redo(launcher& to, problem p, run_form form = {}) {
  if (!form.is_list_empty) empty_redo_list(to, view(p, C.block.query_rows()), p.begins_early);
  p.begins_early = p.begins_early || form.overlaps_launches;
  run<C>(to, p, form.blocks);
  attend_listed_tiles(to, p);
}

/// The softmax of hopper_fixed_max: at 16 and 32 elements, where exponentials limit, some of these go to the
/// FMA pipe, and the sums of P to the MMA.
constexpr softmax_config fixed_max = {.form = softmax_form::fixed_max};
constexpr softmax_config narrow_fixed_max = {
    .software_exp2 = 2, .sums_by_product = true, .form = softmax_form::fixed_max};

/// Tiles of 192 queries at 16 elements a head (wave_fit.h), which list those of 256 that they are in.
constexpr block_shape small_listed_block_16 = {.width = 16,
                                               .groups = 3,
                                               .stages = 4,
                                               .producer_registers = 32,
                                               .consumer_registers = 160,
                                               .redone_rows = block_16.query_rows()};

}  // namespace ablate::window_attention
