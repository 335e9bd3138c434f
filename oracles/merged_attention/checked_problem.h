#pragma once

#include <cstdint>

#include "kernels/merged_attention/merged_attention.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/global_attention/checked_layer.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::merged_attention {

using global_attention::sampled_row;

struct findings {
  token_merging::findings merging[3];         ///< by step
  compression_attention::findings attention;  ///< without lists
};

/// Samples are merged rows.
struct checks : global_attention::checks {
  const std::int32_t* source_samples = nullptr;  ///< [source_sample_count]: sources by number
  std::int64_t source_sample_count = 0;
  findings* found = nullptr;             ///< [1], by the comparison; also all that follows
  std::int32_t* sampled_best = nullptr;  ///< [source_sample_count]
  float* sampled_similarity = nullptr;   ///< as above
};

struct checked_problem : problem, checks {
  global_attention::checked_layer as_layer() const { return {*this, *this}; }
};

/// merging_of, with what its comparison needs.
token_merging::checked_problem checked_merging_of(const checked_problem&, token_merging::step);
/// among_merged_of in the same way.
compression_attention::checked_problem checked_among_merged_of(const checked_problem&);

}  // namespace ablate::merged_attention
