#include "variants/block_pooling_backward/buffers.h"

#include "variants/block_pooling/buffers.h"

namespace ablate::block_pooling_backward {

namespace {

using block_pooling::put_tensors;

std::int64_t between_inputs(const block_pooling::problem& p) {
  return p.is_packed ? p.heads * width : p.elements();
}

// q, k and v are in one buffer: one after the other, or packed.
void put_inputs(checked_problem& p, void* rows) {
  if (p.normalizes()) put_tensors(p.pooling.in, rows, between_inputs(p.pooling));
}
void put_pooled_gradient(checked_problem& p, void* rows) {
  put_tensors(p.pooled_gradient, rows, p.pooling.heads * p.pooling.blocks() * width);
}
void put_token_gradient(checked_problem& p, void* rows) {
  if (p.given != given::pooled) put_tensors(p.token_gradient, rows, p.pooling.elements());
}
void put_gradient(checked_problem& p, void* rows) {
  put_tensors(p.gradient, rows, between_inputs(p.pooling));
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  block_pooling::problem& pooling = p.pooling;
  const auto elements = static_cast<std::size_t>(tensors * pooling.elements());
  const auto pooled = static_cast<std::size_t>(tensors * pooling.heads * pooling.blocks() * width);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const std::size_t of_means =
      pooling.mode == block_pooling::mode::pre ? sizeof(float) * pooled / tensors * 2 : 0;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {
      bind_by<put_inputs>("qkv", p, p.normalizes() ? 2 * elements : 0, device),
      bind("norm", pooling.norm, p.normalizes() ? 4 * sizeof(float) * width : 0),
      bind("rotations", pooling.rotations,
           p.normalizes() ? 2 * sizeof(float) * block_pooling::positions * block_pooling::angles : 0),
      bind_by<put_pooled_gradient>("pooled_gradient", p, 2 * pooled, device),
      bind_by<put_token_gradient>("token_gradient", p, p.given == given::pooled ? 0 : 2 * elements, device),
      bind_by<put_gradient>("gradient", p, 2 * elements, result, poison),
      bind("means", pooling.means, of_means, device),
      bind("mean_gradients", p.mean_gradients, of_means, device),
      bind("samples", p.samples, sizeof(sampled_row) * sampled),
      bind("found", p.found, tensors * sizeof(deviation), finding, poison),
      bind("sampled_out", p.sampled_out, sizeof(float) * width * sampled, finding, poison)};
}

}  // namespace ablate::block_pooling_backward
