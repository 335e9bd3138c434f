#include "oracles/block_sparse_attention_backward/checked_problem.h"

#include "kernels/common/memory_cutter.h"

namespace ablate::block_sparse_attention_backward {

plain_gradients cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.row_reference)};
  plain_gradients plain{};
  for (int i = 0; i < gradients; ++i) {
    cutter.cut(plain.of[i], p.compared_rows() * width);
    cutter.cut(plain.scale[i], p.compared_rows());
    cutter.cut(plain.seen[i], p.compared_rows() * width);
  }
  if (bytes) *bytes = cutter.used;
  return plain;
}

}  // namespace ablate::block_sparse_attention_backward
