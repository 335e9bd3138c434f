#include "oracles/gated_attention/reference.h"

#include <algorithm>

#include "kernels/gated_attention/parts.h"
#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/running_attention.h"

namespace ablate::gated_attention {

using global_attention::squared_norm, global_attention::tensor;

compression_attention::exact_row reference_block(const checked_problem& p, const exact_head& known,
                                                 std::int64_t head, std::int64_t block) {
  return compression_attention::reference_row(
      compression_of(p), global_attention::reference_pooled_query(p.as_layer(), head, block),
      known.pooled_keys, known.pooled_values);
}

exact_token reference_selection(const checked_problem& p, std::int64_t head, std::int64_t token,
                                const std::vector<std::int32_t>& list) {
  const global_attention::checked_layer made = p.as_layer();
  global_attention::running_attention selected(generated_row(made, tensor::q, head, token));
  const auto attend_to = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      const row_values value = generated_row(made, tensor::v, head, i);
      selected.add(generated_row(made, tensor::k, head, i), value, squared_norm(value));
    }
  };
  const auto attend_to_block = [&](std::int64_t block) {
    const token_span span = p.layout().span(block);
    attend_to(span.first, span.count);
  };
  const selection_attention::problem part = selection_of(p);
  for (int block = 0; block < part.forced_blocks(); ++block) attend_to_block(block);
  for (const std::int32_t block : list)
    if (block >= part.lowest_entry() && block < p.blocks()) attend_to_block(block);
  attend_to(p.layout().patches(), p.tokens - p.layout().patches());
  return selected.result();
}

exact_token gated(const compression_attention::exact_row& compressed, const exact_token& selected,
                  double compressed_gate, double selected_gate) {
  exact_token both = selected;
  for (std::size_t d = 0; d < width; ++d)
    both.out[d] = compressed_gate * compressed.out[d] + selected_gate * selected.out[d];
  both.scale = std::max(selected_gate * selected.scale, compressed_gate * compressed.scale);
  return both;
}

}  // namespace ablate::gated_attention
