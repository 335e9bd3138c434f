#include "variants/block_pooling/buffers.h"

namespace ablate::block_pooling {

std::vector<buffer> buffers(const problem& p) {
  const auto elements = static_cast<std::size_t>(tensors * p.elements());
  const auto pooled = static_cast<std::size_t>(tensors * p.heads * p.blocks() * width);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {{"qkv", 2 * elements, device},
          {"norm", p.normalizes() ? 4 * sizeof(float) * width : 0},
          {"rotations", p.normalizes() ? 2 * sizeof(float) * positions * angles : 0},
          {"pooled", 2 * pooled, result, poison},
          {"of_tokens", p.writes_tokens ? 2 * elements : 0, result, poison},
          {"means", p.mode == mode::pre ? sizeof(float) * pooled / tensors * 2 : 0, device},
          {"samples", sizeof(sampled_row) * sampled},
          {"found", 2 * tensors * sizeof(deviation), finding, poison},
          {"sampled_out", sizeof(float) * width * sampled, finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto* const inputs = static_cast<const std::uint16_t*>(addresses[qkv]);
  auto* const pooled_rows = static_cast<std::uint16_t*>(addresses[pooled]);
  auto* const token_rows = p.writes_tokens ? static_cast<std::uint16_t*>(addresses[of_tokens]) : nullptr;
  for (std::int64_t i = 0; i < tensors; ++i) {
    p.in[i] = inputs + i * (p.is_packed ? p.heads * width : p.elements());
    p.pooled[i] = pooled_rows + i * p.heads * p.blocks() * width;
    p.of_tokens[i] = token_rows == nullptr ? nullptr : token_rows + i * p.elements();
  }
  p.norm = static_cast<const float*>(addresses[norm]);
  p.rotations = static_cast<const float*>(addresses[rotations]);
  p.means = static_cast<float*>(addresses[means]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviation*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
}

}  // namespace ablate::block_pooling
