// Which blocks of keys a thread block of the kernel that computes all gradients takes (hopper_fused.cuh).
#pragma once

#include "kernels/window_attention_backward/fused_shape.cuh"

namespace ablate::window_attention_backward {

/// Which blocks of keys a thread block takes, in order.
template <class Shape, query_gradient_way Way>
struct key_blocks {
  static constexpr bool whole_windows = Way == query_gradient_way::own_sums;

  __device__ static unsigned of_window(const view& v) { return (v.window + Shape::keys - 1) / Shape::keys; }
  __device__ static unsigned count(const view& v) {
    if constexpr (!Shape::persistent) return 1;
    const unsigned together = whole_windows ? of_window(v) : 1;
    const unsigned all = static_cast<unsigned>(v.batches * v.windows * v.heads) * of_window(v) / together;
    return (all - blockIdx.x + gridDim.x - 1) / gridDim.x * together;
  }
  __device__ static row_block nth(const view& v, unsigned n) {
    const unsigned together = whole_windows ? of_window(v) : 1;
    if constexpr (!Shape::persistent) return v.block_of(blockIdx.x, Shape::keys);
    // As view::block_of, by short divisions: the threads that request the next block have few registers.
    unsigned index = (blockIdx.x + n / together * gridDim.x) * together + n % together;
    const unsigned in_window = of_window(v), heads = v.heads, windows = static_cast<unsigned>(v.windows);
    row_block b;
    b.first_token = static_cast<int>(index % in_window) * Shape::keys;
    index /= in_window;
    b.head = static_cast<int>(index % heads);
    index /= heads;
    b.window = index % windows;
    b.batch = static_cast<int>(index / windows);
    return b;
  }
};

}  // namespace ablate::window_attention_backward
