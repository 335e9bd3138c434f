#pragma once

#include <cstdint>

#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"
#include "kernels/token_merging/token_merging.h"

namespace ablate::merged_attention {

/// Global attention among merged tokens, published without training (FastVGGT, arXiv 2509.02560), forward
/// (docs/operations/merged_attention.md): tokens that look alike are merged (token_merging.h, where tokens
/// are row by row and special ones first), q, k and v by the same partition; what is left attends to what
/// is left; and each token takes the output of the row that it went into. The log-sum-exp is of the rows that
/// attend.

using global_attention::phase;
using global_attention::width;

struct problem : global_attention::prepared_layer {  ///< lists: matches; lse: [heads][merging.attending()]
  token_merging::problem merging;                    ///< partition, x, and what its steps leave
  std::uint16_t* attended = nullptr;  ///< bf16 [heads][merging.attending()][64]: what merged rows leave
  void* scratch = nullptr;            ///< of the matches and merging
};

/// A step of merging, and attention among merged rows between the last two.
token_merging::problem merging_of(const problem&, token_merging::step);
compression_attention::problem among_merged_of(const problem&);

}  // namespace ablate::merged_attention
