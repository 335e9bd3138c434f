#include "variants/global_attention/buffers.h"

namespace ablate::global_attention {

bound_buffers tensors_of(layer& p) {
  const auto bytes = 2 * static_cast<std::size_t>(p.elements());
  const auto device = buffer_role::scratch;
  return {bind("q", p.q, bytes, device), bind("k", p.k, bytes, device), bind("v", p.v, bytes, device)};
}

bound_buffers outputs_of(layer& p) {
  const auto result = buffer_role::result;
  const auto poison = buffer_reset::poison;
  return {bind("out", p.out, 2 * static_cast<std::size_t>(p.elements()), result, poison),
          bind("lse", p.lse, sizeof(float) * static_cast<std::size_t>(p.heads * p.tokens), result, poison)};
}

bound_buffers samples_of(checks& c) {
  return {bind("samples", c.samples, sizeof(sampled_row) * static_cast<std::size_t>(c.sample_count))};
}

bound_buffers sampled_rows_of(checks& c) {
  const std::size_t numbers = sizeof(float) * static_cast<std::size_t>(c.sample_count);
  const auto finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  return {bind("sampled_out", c.sampled_out, numbers * width, finding, poison),
          bind("sampled_lse", c.sampled_lse, numbers, finding, poison)};
}

bound_buffers joined(std::initializer_list<bound_buffers> parts) {
  bound_buffers all;
  for (const bound_buffers& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace ablate::global_attention
