#include "oracles/gated_attention/checked_block_sparse_selection.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

block_sparse_selection::checked_problem checked_choice_of(const checked_problem& p) {
  block_sparse_selection::checked_problem of{choice_of(p)};
  // Decides how rows are judged, and nothing else.
  of.what =
      are_exact(p.what) ? block_sparse_selection::scores::integers : block_sparse_selection::scores::unit;
  of.samples = p.block_samples;
  of.sample_count = p.block_sample_count;
  if (p.found != nullptr) of.found = &p.found->kept;
  of.sampled_kept = p.sampled_kept;
  of.sampled_counts = p.sampled_counts;
  return of;
}

}  // namespace ablate::gated_attention
