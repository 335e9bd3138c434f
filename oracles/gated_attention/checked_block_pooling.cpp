#include "oracles/gated_attention/checked_block_pooling.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

block_pooling::checked_problem checked_pooling_of(const checked_problem& p) {
  block_pooling::checked_problem of{pooling_of(p)};
  if (p.found != nullptr) of.found = p.found->pooled;
  return of;
}

}  // namespace ablate::gated_attention
