#include "variants/gated_attention/buffers.h"

#include "kernels/gated_attention/parts.h"

namespace ablate::gated_attention {

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.tokens);
  const std::size_t blocks = p.is_sparse() ? static_cast<std::size_t>(p.heads * p.blocks()) : 0;
  const std::size_t of_blocks = 2 * width * blocks, entry = sizeof(std::int32_t);
  const auto selected = static_cast<std::size_t>(p.selected);
  const auto sampled = static_cast<std::size_t>(p.sample_count),
             sampled_blocks = static_cast<std::size_t>(p.block_sample_count);
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch,
             reference = buffer_role::reference;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  const std::size_t of_selection = p.is_sparse() ? selection_attention::reference_bytes(selection_of(p)) : 0;
  const std::size_t of_rows =
      compression_attention::reference_bytes(p.is_sparse() ? compression_of(p) : dense_of(p));
  const std::size_t scores = p.is_sparse() ? compression_attention::scratch_bytes(compression_of(p)) : 0;
  // Too large for the host: inputs are made on the device, and the check reads how far each part is from
  // plain arithmetic, and samples.
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"gates", p.is_sparse() ? 8 * rows : 0, device},
          {"pooled_q", of_blocks, device, poison},
          {"pooled_k", of_blocks, device, poison},
          {"pooled_v", of_blocks, device, poison},
          {"compressed", of_blocks, device, poison},
          {"compressed_lse", 4 * blocks, device, poison},
          {"table", entry * blocks * selected, device, poison},
          {"scratch", scores, device, poison},
          {"out", elements, device, poison},
          {"lse", 4 * rows, device, poison},
          {"block_samples", sizeof(sampled_row) * sampled_blocks, input},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"found", sizeof(findings), output, poison},
          {"sampled_compressed", 4 * sampled_blocks * width, output, poison},
          {"sampled_compressed_lse", 4 * sampled_blocks, output, poison},
          {"sampled_table", entry * sampled_blocks * selected, output, poison},
          {"sampled_out", 4 * sampled * width, output, poison},
          {"sampled_lse", 4 * sampled, output, poison},
          {"row_reference", of_rows, reference, once},
          {"selection_reference", of_selection, reference, once}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto bf16 = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto numbers = [&](place at) { return static_cast<float*>(addresses[at]); };
  const auto entries = [&](place at) { return static_cast<std::int32_t*>(addresses[at]); };
  p.q = bf16(q);
  p.k = bf16(k);
  p.v = bf16(v);
  p.gates = numbers(gates);
  p.pooled = {bf16(pooled_q), bf16(pooled_k), bf16(pooled_v)};
  p.compressed = bf16(compressed);
  p.compressed_lse = numbers(compressed_lse);
  p.table = entries(table);
  p.scratch = addresses[scratch];
  p.out = bf16(out);
  p.lse = numbers(lse);
  p.block_samples = static_cast<const sampled_row*>(addresses[block_samples]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<findings*>(addresses[found]);
  p.sampled_compressed = numbers(sampled_compressed);
  p.sampled_compressed_lse = numbers(sampled_compressed_lse);
  p.sampled_table = entries(sampled_table);
  p.sampled_out = numbers(sampled_out);
  p.sampled_lse = numbers(sampled_lse);
  p.row_reference = addresses[row_reference];
  p.selection_reference = addresses[selection_reference];
}

}  // namespace ablate::gated_attention
