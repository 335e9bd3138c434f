#include "variants/selection_attention_backward/buffers.h"

namespace ablate::selection_attention_backward {

std::vector<buffer> buffers(const problem& p) {
  const selection_inversion::problem lists = inversion_of(p);
  const auto elements = 2 * static_cast<std::size_t>(p.attention.elements());
  const auto rows = static_cast<std::size_t>(p.rows());
  const auto entries = sizeof(std::int32_t) * static_cast<std::size_t>(lists.entries());
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const std::size_t of_blocks = p.attention.is_gated ? 2 * width * static_cast<std::size_t>(lists.rows()) : 0;
  const std::size_t of_gates = p.attention.is_gated ? 8 * rows : 0;
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the gradients are from
  // plain ones, and samples.
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"table", entries, device},
          {"out", elements, device},
          {"lse", 4 * rows, device},
          {"out_gradient", elements, device},
          {"offsets", sizeof(std::int64_t) * static_cast<std::size_t>(lists.rows() + 1), device},
          {"queries", entries, device},
          {"count_memory", selection_inversion::count_memory_bytes(lists), device},
          {"q_gradient", elements, result, poison},
          {"k_gradient", elements, result, poison},
          {"v_gradient", elements, result, poison},
          {"statistics", 8 * rows, device, poison},
          {"pieces", piece_memory_bytes(p), device, poison},
          {"query_sums", 2 * elements, device, poison},
          {"key_sums", 4 * elements, device, poison},
          {"samples", sizeof(sampled_row) * 2 * sampled, buffer_role::input},
          {"found", sizeof(deviations), finding, poison},
          {"sampled_gradients", 3 * 4 * sampled * width, finding, poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"compressed", of_blocks, device},
          {"gates", of_gates, device},
          {"gate_gradients", of_gates, result, poison},
          {"compressed_gradient", of_blocks, result, poison},
          {"sampled_gates", 4 * sampled * (2 + width), finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.attention.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.attention.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.attention.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.attention.table = static_cast<const std::int32_t*>(addresses[table]);
  p.attention.out = static_cast<std::uint16_t*>(addresses[out]);
  p.attention.lse = static_cast<float*>(addresses[lse]);
  p.out_gradient = static_cast<const std::uint16_t*>(addresses[out_gradient]);
  p.offsets = static_cast<std::int64_t*>(addresses[offsets]);
  p.queries = static_cast<std::int32_t*>(addresses[queries]);
  p.count_memory = addresses[count_memory];
  p.q_gradient = static_cast<std::uint16_t*>(addresses[q_gradient]);
  p.k_gradient = static_cast<std::uint16_t*>(addresses[k_gradient]);
  p.v_gradient = static_cast<std::uint16_t*>(addresses[v_gradient]);
  p.statistics = static_cast<float*>(addresses[statistics]);
  p.pieces = addresses[pieces];
  p.query_sums = static_cast<float*>(addresses[query_sums]);
  p.key_sums = static_cast<float*>(addresses[key_sums]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_gradients = static_cast<float*>(addresses[sampled_gradients]);
  p.reference = addresses[reference];
  p.attention.compressed = static_cast<const std::uint16_t*>(addresses[compressed]);
  p.attention.gates = p.attention.is_gated ? static_cast<const float*>(addresses[gates]) : nullptr;
  p.gate_gradients = static_cast<float*>(addresses[gate_gradients]);
  p.compressed_gradient = static_cast<std::uint16_t*>(addresses[compressed_gradient]);
  p.sampled_gates = static_cast<float*>(addresses[sampled_gates]);
}

}  // namespace ablate::selection_attention_backward
