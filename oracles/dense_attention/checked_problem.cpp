#include "oracles/dense_attention/checked_problem.h"

#include "oracles/global_attention/checked_compression_attention.h"

namespace ablate::dense_attention {

compression_attention::checked_problem checked_attention_of(const checked_problem& p) {
  return global_attention::checked_attention(attention_of(p), p, p.found);
}

}  // namespace ablate::dense_attention
