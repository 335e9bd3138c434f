#include "oracles/global_attention/checked_compression_attention.h"

namespace ablate::global_attention {

compression_attention::checked_problem checked_attention(const compression_attention::problem& part,
                                                         const checks& p,
                                                         compression_attention::findings* found) {
  compression_attention::checked_problem of{part};
  of.found = found;
  of.reference = p.row_reference;
  of.samples = p.samples;
  of.sample_count = p.sample_count;
  of.sampled_out = p.sampled_out;
  of.sampled_lse = p.sampled_lse;
  return of;
}

}  // namespace ablate::global_attention
