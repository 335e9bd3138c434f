#pragma once

#include <cstdint>

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::gated_attention {

using global_attention::sampled_row;

struct findings;  ///< of the comparison: findings.h

struct checks : global_attention::checks {     ///< row_reference: of compression
  const sampled_row* block_samples = nullptr;  ///< [block_sample_count]: block and head
  std::int64_t block_sample_count = 0;
  findings* found = nullptr;  ///< [1], by the comparison; also all that follows
  float *sampled_compressed = nullptr, *sampled_compressed_lse = nullptr;  ///< [block_sample_count][64], [ ]
  std::int32_t* sampled_table = nullptr;                                   ///< [block_sample_count][selected]
  void* selection_reference = nullptr;
};

struct checked_problem : problem, checks {
  global_attention::checked_layer as_layer() const { return {*this, *this}; }
};

}  // namespace ablate::gated_attention
