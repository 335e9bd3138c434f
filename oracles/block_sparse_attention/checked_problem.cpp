#include "oracles/block_sparse_attention/checked_problem.h"

#include "oracles/global_attention/checked_compression_attention.h"

namespace ablate::block_sparse_attention {

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

compression_attention::checked_problem checked_kept_of(const checked_problem& p) {
  compression_attention::checked_problem of =
      global_attention::checked_attention(kept_of(p), p, p.found == nullptr ? nullptr : &p.found->attention);
  of.queries = 0;
  return of;
}

}  // namespace ablate::block_sparse_attention
