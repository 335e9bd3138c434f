#include "oracles/dense_attention_backward/checked_problem.h"

namespace ablate::dense_attention_backward {

window_attention_backward::checked_problem compared_rows_of(const checked_problem& p) {
  window_attention_backward::checked_problem of =
      global_attention_backward::compared_rows(rows_of(p), p.compared_heads(), p, p.found);
  of.sample_count = p.forward_checks.sample_count;
  return of;
}

}  // namespace ablate::dense_attention_backward
