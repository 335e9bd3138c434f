#include "oracles/gated_attention_backward/checked_selection_attention.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/findings.h"

namespace ablate::gated_attention_backward {

selection_attention::checked_problem checked_selected_of(const checked_problem& p) {
  selection_attention::checked_problem of{selected_of(p)};
  if (p.found != nullptr) of.found = &p.found->selected;
  of.sampled_out = p.forward_checks.sampled_out;
  of.sampled_lse = p.forward_checks.sampled_lse;
  of.reference = p.forward_checks.selection_reference;
  of.keeps_plain = false;  // lists and compressed rows are this launch's
  return of;
}

}  // namespace ablate::gated_attention_backward
