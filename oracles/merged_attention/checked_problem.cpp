#include "oracles/merged_attention/checked_problem.h"

#include "oracles/global_attention/checked_compression_attention.h"

namespace ablate::merged_attention {

namespace {

token_merging::scores looks_of(global_attention::scores what) {
  using global_attention::scores;
  switch (what) {
    case scores::scene:
      return token_merging::scores::scene;
    case scores::integers:
      return token_merging::scores::integers;
    case scores::equal:
      return token_merging::scores::equal;
    default:
      return token_merging::scores::unit;
  }
}

}  // namespace

token_merging::checked_problem checked_merging_of(const checked_problem& p, token_merging::step step) {
  token_merging::checked_problem of{merging_of(p, step)};
  of.what = looks_of(p.what);
  if (p.found != nullptr) of.found = &p.found->merging[static_cast<int>(step)];
  // Rows and copies are all judged on the device, and merged rows sampled where they attend.
  if (step != token_merging::step::match) return of;
  of.samples = p.source_samples;
  of.sample_count = p.source_sample_count;
  of.sampled_best = p.sampled_best;
  of.sampled_similarity = p.sampled_similarity;
  return of;
}

compression_attention::checked_problem checked_among_merged_of(const checked_problem& p) {
  return global_attention::checked_attention(among_merged_of(p), p,
                                             p.found == nullptr ? nullptr : &p.found->attention);
}

}  // namespace ablate::merged_attention
