// Launches of the forward core by mma.sync (mma_forward.cuh), and the shape of a block at each width.
#pragma once

#include "kernels/window_attention/key_norms.cuh"
#include "kernels/window_attention/mma_forward.cuh"

namespace ablate::window_attention {

template <class Shape, class Options>
std::size_t mma_shared_bytes(const view& v) {
  const int words = v.window / Shape::keys + (mma_attention<Shape, Options>::is_partial ? 2 : 0);
  return sizeof(mma_memory<Shape>) + sizeof(int) * static_cast<std::size_t>(words);
}

template <class Shape, class Options>
void run_mma(launcher& to, const problem& p) {
  const view v(p, mma_query_rows);
  if (Options::form == softmax_form::bounded) measure_keys(to, p);
  launch(to, attend_by_mma<Shape, Options>, dim3(static_cast<unsigned>(v.query_tiles)), dim3(mma_threads),
         mma_shared_bytes<Shape, Options>(v), v);
}

/// Calls `then` with the width's shape. At 128 elements a head the scores of 64 keys and the outputs would
/// spill registers.
template <copies_form Copies, class Then>
void with_mma_shape(int width, Then then) {
  switch (width) {
    case 16:
      return then(mma_shape<16, 64, Copies, 4>());
    case 32:
      return then(mma_shape<32, 64, Copies, 3>());
    case 64:
      return then(mma_shape<64, 64, Copies, 2>());
    default:
      return then(mma_shape<128, 32, Copies, 2>());
  }
}

/// Online softmax, the next tile copied ahead.
template <class Options>
void run_mma_ahead(launcher& to, const problem& p) {
  with_mma_shape<copies_form::ahead>(p.width, [&](auto shape) { run_mma<decltype(shape), Options>(to, p); });
}

}  // namespace ablate::window_attention
