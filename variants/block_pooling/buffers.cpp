#include "variants/block_pooling/buffers.h"

namespace ablate::block_pooling {

namespace {

// q, k and v are in one buffer: one after the other, or packed.
void put_inputs(checked_problem& p, void* rows) {
  put_tensors(p.in, rows, p.is_packed ? p.heads * width : p.elements());
}
void put_pooled(checked_problem& p, void* rows) { put_tensors(p.pooled, rows, p.heads * p.blocks() * width); }
void put_of_tokens(checked_problem& p, void* rows) {
  if (p.writes_tokens) put_tensors(p.of_tokens, rows, p.elements());
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  const auto elements = static_cast<std::size_t>(tensors * p.elements());
  const auto pooled = static_cast<std::size_t>(tensors * p.heads * p.blocks() * width);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {bind_by<put_inputs>("qkv", p, 2 * elements, device),
          bind("norm", p.norm, p.normalizes() ? 4 * sizeof(float) * width : 0),
          bind("rotations", p.rotations, p.normalizes() ? 2 * sizeof(float) * positions * angles : 0),
          bind_by<put_pooled>("pooled", p, 2 * pooled, result, poison),
          bind_by<put_of_tokens>("of_tokens", p, p.writes_tokens ? 2 * elements : 0, result, poison),
          bind("means", p.means, p.mode == mode::pre ? sizeof(float) * pooled / tensors * 2 : 0, device),
          bind("samples", p.samples, sizeof(sampled_row) * sampled),
          bind("found", p.found, 2 * tensors * sizeof(deviation), finding, poison),
          bind("sampled_out", p.sampled_out, sizeof(float) * width * sampled, finding, poison)};
}

}  // namespace ablate::block_pooling
