#include "oracles/gated_attention/checked_compression_attention.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

compression_attention::checked_problem checked_compression_of(const checked_problem& p) {
  compression_attention::checked_problem of{compression_of(p)};
  if (p.found != nullptr) of.found = &p.found->compression;
  of.reference = p.row_reference;
  // Decides how its lists are compared, and nothing else.
  of.what = are_exact(p.what) ? compression_attention::scores::integers : compression_attention::scores::unit;
  of.samples = p.block_samples;
  of.sample_count = p.block_sample_count;
  of.sampled_out = p.sampled_compressed;
  of.sampled_lse = p.sampled_compressed_lse;
  of.sampled_table = p.sampled_table;
  return of;
}

}  // namespace ablate::gated_attention
