#include "oracles/gated_attention_backward/checked_problem.h"

#include "kernels/common/memory_cutter.h"

namespace ablate::gated_attention_backward {

plain_kept_gradients cut_kept_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.row_reference)};
  plain_kept_gradients plain{};
  for (int i = 0; i < gradients; ++i) {
    cutter.cut(plain.of[i], p.compared_kept_rows() * width);
    cutter.cut(plain.scale[i], p.compared_kept_rows());
    cutter.cut(plain.seen[i], p.compared_kept_rows() * width);
  }
  if (bytes) *bytes = cutter.used;
  return plain;
}

}  // namespace ablate::gated_attention_backward
