#include "oracles/pooled_key_attention/checked_problem.h"

#include "oracles/global_attention/checked_compression_attention.h"

namespace ablate::pooled_key_attention {

compression_attention::checked_problem checked_attention_of(const checked_problem& p) {
  return global_attention::checked_attention(attention_of(p), p,
                                             p.found == nullptr ? nullptr : &p.found->attention);
}

}  // namespace ablate::pooled_key_attention
