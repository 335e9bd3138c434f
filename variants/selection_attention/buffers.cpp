#include "variants/selection_attention/buffers.h"

namespace ablate::selection_attention {

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.tokens);
  const auto entries = static_cast<std::size_t>(p.heads * p.blocks() * p.selected);
  const std::size_t blocks = p.is_gated ? static_cast<std::size_t>(p.heads * p.blocks()) : 0;
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain attention, and samples.
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"table", sizeof(std::int32_t) * entries, device},
          {"out", elements, result, poison},
          {"lse", 4 * rows, result, poison},
          {"samples", sizeof(sampled_row) * sampled, buffer_role::input},
          {"found", sizeof(deviations), finding, poison},
          {"sampled_out", 4 * sampled * width, finding, poison},
          {"sampled_lse", 4 * sampled, finding, poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"compressed", 2 * width * blocks, device},
          {"gates", p.is_gated ? 8 * rows : 0, device}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.table = static_cast<const std::int32_t*>(addresses[table]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.lse = static_cast<float*>(addresses[lse]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
  p.sampled_lse = static_cast<float*>(addresses[sampled_lse]);
  p.reference = addresses[reference];
  p.compressed = static_cast<const std::uint16_t*>(addresses[compressed]);
  p.gates = p.is_gated ? static_cast<const float*>(addresses[gates]) : nullptr;
}

}  // namespace ablate::selection_attention
