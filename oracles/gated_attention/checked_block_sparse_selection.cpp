#include "oracles/gated_attention/checked_block_sparse_selection.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

block_sparse_selection::problem checked_choice_of(const problem& p) {
  block_sparse_selection::problem of = choice_of(p);
  if (p.found != nullptr) of.found = &p.found->kept;
  return of;
}

}  // namespace ablate::gated_attention
