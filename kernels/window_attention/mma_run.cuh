// Launches of the forward core by mma.sync (mma_forward.cuh), and the shape of a block at each width.
#pragma once

#include <type_traits>

#include "kernels/window_attention/key_norms.cuh"
#include "kernels/window_attention/mma_forward.cuh"

namespace ablate::window_attention {

/// The block of each width. At 128 elements a head the scores of 64 keys and the outputs would spill
/// registers.
constexpr mma_block mma_block_of(int width) {
  return {.width = width, .keys = width <= 64 ? 64 : 32, .blocks = width == 16 ? 4 : width == 32 ? 3 : 2};
}

template <mma_config C>
std::size_t mma_shared_bytes(const view& v) {
  const int words = v.window / C.block.keys + (C.partial_windows ? 2 : 0);
  return sizeof(mma_memory<C.block>) + sizeof(int) * static_cast<std::size_t>(words);
}

template <mma_config C>
void run_mma(launcher& to, const problem& p) {
  const view v(p, mma_query_rows);
  if (C.softmax.form == softmax_form::bounded) measure_keys(to, p);
  launch(to, attend_by_mma<configured<C>>, dim3(static_cast<unsigned>(v.query_tiles)), dim3(mma_threads),
         mma_shared_bytes<C>(v), v);
}

/// Calls `then` with the width as a constant.
template <class Then>
void with_width(int width, Then then) {
  switch (width) {
    case 16:
      return then(std::integral_constant<int, 16>());
    case 32:
      return then(std::integral_constant<int, 32>());
    case 64:
      return then(std::integral_constant<int, 64>());
    default:
      return then(std::integral_constant<int, 128>());
  }
}

template <softmax_config Softmax>
void run_mma_of_width(launcher& to, const problem& p) {
  with_width(p.width, [&](auto width) {
    run_mma<mma_config{.block = mma_block_of(width), .softmax = Softmax}>(to, p);
  });
}

}  // namespace ablate::window_attention
