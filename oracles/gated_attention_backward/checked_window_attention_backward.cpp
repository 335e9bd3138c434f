#include "oracles/gated_attention_backward/checked_window_attention_backward.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/findings.h"

namespace ablate::gated_attention_backward {

window_attention_backward::checked_problem compared_rows_of(const checked_problem& p) {
  return global_attention_backward::compared_rows(rows_of(p), p.compared_heads(), p,
                                                  p.found == nullptr ? nullptr : &p.found->rows);
}

}  // namespace ablate::gated_attention_backward
