#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/findings.h"

namespace ablate::gated_attention_backward {

selection_attention_backward::checked_problem checked_selection_of(const checked_problem& p,
                                                                   bool adds_pooled) {
  selection_attention_backward::checked_problem of{selection_of(p, adds_pooled)};
  of.samples = p.samples;
  of.sample_count = p.forward_checks.sample_count;
  if (p.found != nullptr) of.found = &p.found->gradient;
  of.sampled_gradients = p.sampled_gradients;
  of.sampled_gates = p.sampled_gates;
  of.reference = p.gradient_reference;
  return of;
}

}  // namespace ablate::gated_attention_backward
