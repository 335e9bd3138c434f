#include "oracles/gated_attention/checked_token_merging.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

token_merging::problem checked_merging_of(const problem& p, token_merging::step step) {
  token_merging::problem of = merging_of(p, step);
  if (p.found != nullptr) of.found = &p.found->merging[static_cast<int>(step)];
  return of;
}

}  // namespace ablate::gated_attention
