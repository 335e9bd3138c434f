#include "variants/pooled_key_attention/buffers.h"

#include "variants/global_attention/buffers.h"

namespace ablate::pooled_key_attention {

bound_buffers buffers(checked_problem& p) {
  using namespace global_attention;
  const std::size_t means = 2 * width * static_cast<std::size_t>(p.heads * p.rows_of_keys());
  const auto poison = buffer_reset::poison;
  return joined({tensors_of(p),
                 {bind("pooled_k", p.pooled_k, means, buffer_role::result, poison),
                  bind("pooled_v", p.pooled_v, means, buffer_role::result, poison)},
                 outputs_of(p),
                 samples_of(p),
                 {bind("found", p.found, sizeof(findings), buffer_role::finding, poison)},
                 sampled_rows_of(p),
                 {bind("row_reference", p.row_reference,
                       compression_attention::reference_bytes(checked_attention_of(p)),
                       buffer_role::reference, buffer_reset::zeros_once)}});
}

}  // namespace ablate::pooled_key_attention
