#include "kernels/block_pooling_backward/view.cuh"

namespace ablate::block_pooling_backward {

view::view(const problem& p, bool heads_adjacent) : rows(p.pooling, heads_adjacent) {
  for (std::size_t i = 0; i < tensors; ++i) {
    pooled_gradient[i] = reinterpret_cast<const unsigned char*>(p.pooled_gradient[i]);
    token_gradient[i] = reinterpret_cast<const unsigned char*>(p.token_gradient[i]);
    gradient[i] = reinterpret_cast<unsigned char*>(p.gradient[i]);
  }
  mean_gradients[0] = p.mean_gradients;
  mean_gradients[1] =
      p.mean_gradients == nullptr ? nullptr : p.mean_gradients + p.pooling.heads * p.pooling.blocks() * width;
}

}  // namespace ablate::block_pooling_backward
