#include "variants/compression_attention/buffers.h"

namespace ablate::compression_attention {

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.rows);
  const auto selected = static_cast<std::size_t>(p.selected);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far outputs and lists are
  // from plain attention, and samples.
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"out", elements, result, poison},
          {"lse", 4 * rows, result, poison},
          {"table", p.lists ? sizeof(std::int32_t) * rows * selected : 0, result, poison},
          {"scratch", scratch_bytes(p), device, poison},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"found", sizeof(findings), finding, poison},
          {"sampled_out", 4 * sampled * width, finding, poison},
          {"sampled_lse", 4 * sampled, finding, poison},
          {"sampled_table", sizeof(std::int32_t) * sampled * selected, finding, poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.lse = static_cast<float*>(addresses[lse]);
  p.table = static_cast<std::int32_t*>(addresses[table]);
  p.scratch = addresses[scratch];
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<findings*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
  p.sampled_lse = static_cast<float*>(addresses[sampled_lse]);
  p.sampled_table = static_cast<std::int32_t*>(addresses[sampled_table]);
  p.reference = addresses[reference];
}

}  // namespace ablate::compression_attention
