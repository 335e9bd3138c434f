#include "oracles/gated_attention_backward/reference.h"

#include <cmath>
#include <memory>
#include <utility>

#include "oracles/common/head_row.h"
#include "oracles/gated_attention/generated_gates.h"

namespace ablate::gated_attention_backward {

using window_attention::tensor;

namespace {

row rounded(row of, pooled_rounding rounding) {
  if (rounding == pooled_rounding::bf16)
    for (double& x : of) x = rounded_to_bf16(x);
  return of;
}

row mean_of_block(const head_values& head, tensor of, std::int64_t block) {
  row mean{};
  for (std::int64_t token = block * head.block; token < (block + 1) * head.block; ++token) {
    const row values = head.values(of, token);
    for (std::size_t d = 0; d < width; ++d) mean[d] += values[d] / head.block;
  }
  return mean;
}

}  // namespace

head_values generated_head(const checked_problem& p, std::int64_t head,
                           std::function<std::int32_t(std::int64_t, int)> entry) {
  const gated_attention::checked_problem forward = p.checked_forward();
  head_values made = global_attention_backward::generated_head(forward.as_layer(), head, std::move(entry));
  made.selected = p.forward.selected;
  made.gate = [forward, head](std::int64_t token, int which) {
    return gated_attention::generated_gate(forward, token, head, which);
  };
  return made;
}

head_values pooled_head(const head_values& tokens, pooled_rounding rounding, std::vector<row> keys,
                        std::vector<row> values) {
  const std::int64_t blocks = tokens.blocks();
  if (keys.empty())
    for (std::int64_t block = 0; block < blocks; ++block) {
      keys.push_back(rounded(mean_of_block(tokens, tensor::k, block), rounding));
      values.push_back(rounded(mean_of_block(tokens, tensor::v, block), rounding));
    }
  const auto all = std::make_shared<const std::pair<std::vector<row>, std::vector<row>>>(std::move(keys),
                                                                                         std::move(values));
  return global_attention_backward::all_to_all(
      blocks, [tokens, rounding, all](tensor of, std::int64_t block) {
        const auto at = static_cast<std::size_t>(block);
        if (of == tensor::k) return all->first[at];
        if (of == tensor::v) return all->second[at];
        return rounded(
            of == tensor::q ? mean_of_block(tokens, of, block) : exact_compressed_gradient(tokens, block),
            rounding);
      });
}

graded_row both_ways(const graded_row& selected, const graded_row& pooled, int block) {
  graded_row both = selected;
  double squared_move = 0;
  for (std::size_t d = 0; d < width; ++d) {
    both.of[d] += pooled.of[d] / block;
    squared_move += pooled.moved[d] * pooled.moved[d];
  }
  both.scale +=
      (pooled.scale + std::sqrt(squared_move) / selection_attention_backward::accepted_row_error) / block;
  return both;
}

}  // namespace ablate::gated_attention_backward
