#include "oracles/gated_attention/checked_selection_attention.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

selection_attention::checked_problem checked_selection_of(const checked_problem& p) {
  selection_attention::checked_problem of{selection_of(p)};
  of.samples = p.samples;
  of.sample_count = p.sample_count;
  if (p.found != nullptr) of.found = &p.found->selection;
  of.sampled_out = p.sampled_out;
  of.sampled_lse = p.sampled_lse;
  of.reference = p.selection_reference;
  of.keeps_plain = false;  // lists and compressed rows are this launch's
  return of;
}

}  // namespace ablate::gated_attention
