#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

std::size_t partial_bytes(const problem& p) {
  const bool needs = p.is_backward || p.kind == kind::batch_training;
  return needs ? sizeof(float) * 2 * max_partials * static_cast<std::size_t>(p.channels) : 0;
}

}  // namespace ablate::row_norm
