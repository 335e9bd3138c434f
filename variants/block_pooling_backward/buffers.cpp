#include "variants/block_pooling_backward/buffers.h"

namespace ablate::block_pooling_backward {

std::vector<buffer> buffers(const problem& p) {
  const block_pooling::problem& pooling = p.pooling;
  const auto elements = static_cast<std::size_t>(tensors * pooling.elements());
  const auto pooled = static_cast<std::size_t>(tensors * pooling.heads * pooling.blocks() * width);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const std::size_t of_means =
      pooling.mode == block_pooling::mode::pre ? sizeof(float) * pooled / tensors * 2 : 0;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {{"qkv", p.normalizes() ? 2 * elements : 0, device},
          {"norm", p.normalizes() ? 4 * sizeof(float) * width : 0},
          {"rotations",
           p.normalizes() ? 2 * sizeof(float) * block_pooling::positions * block_pooling::angles : 0},
          {"pooled_gradient", 2 * pooled, device},
          {"token_gradient", p.given == given::pooled ? 0 : 2 * elements, device},
          {"gradient", 2 * elements, result, poison},
          {"means", of_means, device},
          {"mean_gradients", of_means, device},
          {"samples", sizeof(sampled_row) * sampled},
          {"found", tensors * sizeof(deviation), finding, poison},
          {"sampled_out", sizeof(float) * width * sampled, finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  block_pooling::problem& pooling = p.pooling;
  const auto rows_at = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const std::int64_t of_blocks = pooling.heads * pooling.blocks() * width;
  const std::int64_t of_inputs = pooling.is_packed ? pooling.heads * width : pooling.elements();
  for (std::int64_t i = 0; i < tensors; ++i) {
    if (p.normalizes()) pooling.in[i] = rows_at(qkv) + i * of_inputs;
    p.pooled_gradient[i] = rows_at(pooled_gradient) + i * of_blocks;
    if (p.given != given::pooled) p.token_gradient[i] = rows_at(token_gradient) + i * pooling.elements();
    p.gradient[i] = rows_at(gradient) + i * of_inputs;
  }
  pooling.norm = static_cast<const float*>(addresses[norm]);
  pooling.rotations = static_cast<const float*>(addresses[rotations]);
  pooling.means = static_cast<float*>(addresses[means]);
  p.mean_gradients = static_cast<float*>(addresses[mean_gradients]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviation*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
}

}  // namespace ablate::block_pooling_backward
