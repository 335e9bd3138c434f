#include "oracles/pooled_key_attention/reference.h"

#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/running_attention.h"

namespace ablate::pooled_key_attention {

using global_attention::row_values, global_attention::squared_norm, global_attention::tensor;

global_attention::exact_token reference_to_means(const global_attention::checked_layer& p,
                                                 const global_attention::exact_head& known, std::int64_t head,
                                                 std::int64_t token) {
  global_attention::running_attention to(generated_row(p, tensor::q, head, token));
  for (std::size_t i = 0; i < known.pooled_keys.size(); ++i)
    to.add(known.pooled_keys[i], known.pooled_values[i], squared_norm(known.pooled_values[i]));
  for (std::int64_t i = p.layout().patches(); i < p.tokens; ++i) {
    const row_values value = generated_row(p, tensor::v, head, i);
    to.add(generated_row(p, tensor::k, head, i), value, squared_norm(value));
  }
  return to.result();
}

}  // namespace ablate::pooled_key_attention
