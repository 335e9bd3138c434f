#include "variants/global_attention_backward/buffers.h"

namespace ablate::global_attention_backward {

bound_buffers gradients_of(const global_attention::layer& forward, backward_pass& p) {
  const auto bytes = 2 * static_cast<std::size_t>(forward.elements());
  const auto result = buffer_role::result;
  const auto poison = buffer_reset::poison;
  return {bind("out_gradient", p.out_gradient, bytes, buffer_role::scratch),
          bind("q_gradient", p.gradient[0], bytes, result, poison),
          bind("k_gradient", p.gradient[1], bytes, result, poison),
          bind("v_gradient", p.gradient[2], bytes, result, poison)};
}

bound_buffers samples_of(checks& c, std::int64_t samples) {
  return {bind("gradient_samples", c.samples, sizeof(sampled_row) * static_cast<std::size_t>(samples))};
}

bound_buffers sampled_gradients_of(checks& c, std::int64_t sampled) {
  return {bind("sampled_gradients", c.sampled_gradients,
               gradients * sizeof(float) * static_cast<std::size_t>(sampled) * width, buffer_role::finding,
               buffer_reset::poison)};
}

}  // namespace ablate::global_attention_backward
