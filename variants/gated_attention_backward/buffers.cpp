#include "variants/gated_attention_backward/buffers.h"

#include "kernels/gated_attention_backward/parts.h"

namespace ablate::gated_attention_backward {
namespace {

/// Lists turned around, and what the sparse method alone has beside.
std::vector<buffer> buffers_of_lists(const problem& p) {
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const auto words_of_head = [&](std::int64_t count) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(p.forward.heads * count);
  };
  const std::size_t turned = p.keeps_blocks() ? words_of_head(p.key_blocks() * p.query_words()) : 0,
                    turned_counts = p.keeps_blocks() ? words_of_head(p.key_blocks()) : 0;
  if (!p.is_sparse())
    return {{"offsets", 0, device},
            {"queries", 0, device},
            {"count_memory", 0, device},
            {"sort_memory", 0, device},
            {"turned", turned, device, poison},
            {"turned_counts", turned_counts, device, poison},
            {"statistics", 0, device},
            {"pieces", 0, device}};
  const selection_inversion::problem lists = inversion_of(p);
  return {
      {"offsets", sizeof(std::int64_t) * static_cast<std::size_t>(lists.rows() + 1), device, poison},
      {"queries", sizeof(std::int32_t) * static_cast<std::size_t>(lists.entries()), device, poison},
      {"count_memory", selection_inversion::count_memory_bytes(lists), device, poison},
      {"sort_memory", selection_inversion::sort_memory_bytes(lists), device, poison},
      {"turned", 0, device},
      {"turned_counts", 0, device},
      {"statistics", 8 * static_cast<std::size_t>(p.forward.heads * p.forward.tokens), device, poison},
      {"pieces", selection_attention_backward::piece_memory_bytes(selection_of(p, true)), device, poison}};
}

}  // namespace

std::vector<buffer> buffers(const problem& p) {
  const gated_attention::problem& f = p.forward;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::size_t elements = 2 * size(f.elements()), sampled = size(f.sample_count);
  const std::size_t of_tokens = p.is_sparse() ? size(f.heads * f.tokens) : 0,
                    blocks = p.is_sparse() ? size(f.heads * f.blocks()) : 0;
  const auto device = buffer_role::scratch, reference = buffer_role::reference, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  const window_attention_backward::problem compared = compared_rows_of(p);
  std::vector<buffer> all = gated_attention::buffers(f);
  const auto append = [&all](std::vector<buffer> more) { all.insert(all.end(), more.begin(), more.end()); };
  append({{"selected_out", 2 * width * of_tokens, device, poison},
          {"out_gradient", elements, device},
          {"q_gradient", elements, result, poison},
          {"k_gradient", elements, result, poison},
          {"v_gradient", elements, result, poison},
          {"gate_gradients", 8 * of_tokens, result, poison},
          {"compressed_gradient", 2 * width * blocks, result, poison},
          {"pooled_q_gradient", 2 * width * blocks, result, poison},
          {"pooled_k_gradient", 2 * width * blocks, result, poison},
          {"pooled_v_gradient", 2 * width * blocks, result, poison},
          {"moved", p.is_sparse() ? moved_rows_bytes(p) : 0, device, poison},
          {"row_scratch", window_attention_backward::scratch_bytes(rows_of(p).gradients), device, poison}});
  append(buffers_of_lists(p));
  const std::size_t of_gradients =
      p.is_sparse() ? selection_attention_backward::reference_bytes(selection_of(p, true)) : 0;
  std::size_t of_rows = 0;
  if (p.keeps_blocks())
    cut_kept_reference(p, &of_rows);
  else
    of_rows = window_attention_backward::reference_bytes(compared);
  const std::int64_t deltas = p.keeps_blocks() ? 0 : compared.attention.batches * compared.attention.tokens;
  const std::size_t of_lists = p.is_sparse() && p.knows_keys() ? 4 * size(f.blocks() * f.selected) : 0;
  append({{"gradient_samples", (p.keeps_blocks() ? 1 : 2) * sampled * sizeof(sampled_row)},
          {"gradients_found", sizeof(findings), finding, poison},
          {"sampled_gradients", gradients * sizeof(float) * sampled * width, finding, poison},
          {"sampled_gates", p.is_sparse() ? sizeof(float) * sampled * (2 + width) : 0, finding, poison},
          {"sampled_lists", of_lists, finding, poison},
          {"plain_delta", sizeof(float) * size(deltas), reference, once},
          {"gradient_reference", of_gradients, reference, once},
          {"row_gradient_reference", of_rows, reference, once}});
  return all;
}

void attach(problem& p, std::span<void* const> addresses) {
  gated_attention::attach(p.forward, addresses.first(gated_attention::places));
  const auto rows = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto numbers = [&](place at) { return static_cast<float*>(addresses[at]); };
  p.forward.selected_out = rows(selected_out);
  p.out_gradient = rows(out_gradient);
  p.gradient = {rows(q_gradient), rows(k_gradient), rows(v_gradient)};
  p.gate_gradients = numbers(gate_gradients);
  p.compressed_gradient = rows(compressed_gradient);
  p.pooled_gradient = {rows(pooled_q_gradient), rows(pooled_k_gradient), rows(pooled_v_gradient)};
  p.moved = addresses[moved];
  p.row_scratch = addresses[row_scratch];
  p.offsets = static_cast<std::int64_t*>(addresses[offsets]);
  p.queries = static_cast<std::int32_t*>(addresses[queries]);
  p.count_memory = addresses[count_memory];
  p.sort_memory = addresses[sort_memory];
  p.turned = static_cast<std::uint32_t*>(addresses[turned]);
  p.turned_counts = static_cast<std::int32_t*>(addresses[turned_counts]);
  p.statistics = numbers(statistics);
  p.pieces = addresses[pieces];
  p.samples = static_cast<const sampled_row*>(addresses[gradient_samples]);
  p.found = static_cast<findings*>(addresses[gradients_found]);
  p.sampled_gradients = numbers(sampled_gradients);
  p.sampled_gates = numbers(sampled_gates);
  p.sampled_lists = static_cast<std::int32_t*>(addresses[sampled_lists]);
  p.plain_delta = numbers(plain_delta);
  p.gradient_reference = addresses[gradient_reference];
  p.row_reference = addresses[row_gradient_reference];
}

}  // namespace ablate::gated_attention_backward
