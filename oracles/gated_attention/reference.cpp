#include "oracles/gated_attention/reference.h"

#include <algorithm>

#include "kernels/gated_attention/parts.h"
#include "oracles/common/head_row.h"
#include "oracles/gated_attention/made_inputs.h"
#include "oracles/gated_attention/running_attention.h"

namespace ablate::gated_attention {

namespace {

/// Means of blocks' rows in bf16, of rows that come in the order of their tokens.
class pooled_rows {
 public:
  /// `block`: the first one; others follow it.
  pooled_rows(const block_layout& layout, std::int64_t block) : layout_(layout), block_(block) {}

  void add(const row_values& row, std::vector<row_values>& pooled) {
    for (std::size_t d = 0; d < width; ++d) sum_[d] += row[d];
    const int count = layout_.span(block_).count;
    if (++count_ < count) return;
    for (double& x : sum_) x = rounded_to_bf16(x / count);
    pooled.push_back(sum_);
    sum_ = {};
    count_ = 0;
    ++block_;
  }

 private:
  block_layout layout_;
  std::int64_t block_;
  int count_ = 0;
  row_values sum_{};
};

}  // namespace

exact_head walk_head(const checked_problem& p, std::int64_t head, const std::vector<std::int64_t>& tokens) {
  exact_head known;
  std::vector<running_attention> dense;
  for (const std::int64_t token : tokens) dense.emplace_back(made_row(p, tensor::q, head, token));
  pooled_rows keys(p.layout(), 0), values(p.layout(), 0);
  for (std::int64_t token = 0; token < p.tokens; ++token) {
    const row_values key = made_row(p, tensor::k, head, token), value = made_row(p, tensor::v, head, token);
    const double squared = squared_norm(value);
    for (running_attention& row : dense) row.add(key, value, squared);
    if (!p.attends_to_means() || token >= p.layout().patches()) continue;
    keys.add(key, known.pooled_keys);
    values.add(value, known.pooled_values);
  }
  for (const running_attention& row : dense) known.dense.push_back(row.result());
  return known;
}

compression_attention::exact_row reference_block(const checked_problem& p, const exact_head& known,
                                                 std::int64_t head, std::int64_t block) {
  pooled_rows queries(p.layout(), block);
  std::vector<row_values> query;
  const token_span span = p.layout().span(block);
  for (std::int64_t i = span.first; i < span.first + span.count; ++i)
    queries.add(made_row(p, tensor::q, head, i), query);
  return compression_attention::reference_row(compression_of(p), query.front(), known.pooled_keys,
                                              known.pooled_values);
}

exact_token reference_to_means(const checked_problem& p, const exact_head& known, std::int64_t head,
                               std::int64_t token) {
  running_attention to(made_row(p, tensor::q, head, token));
  for (std::size_t i = 0; i < known.pooled_keys.size(); ++i)
    to.add(known.pooled_keys[i], known.pooled_values[i], squared_norm(known.pooled_values[i]));
  for (std::int64_t i = p.layout().patches(); i < p.tokens; ++i) {
    const row_values value = made_row(p, tensor::v, head, i);
    to.add(made_row(p, tensor::k, head, i), value, squared_norm(value));
  }
  return to.result();
}

exact_token reference_selection(const checked_problem& p, std::int64_t head, std::int64_t token,
                                const std::vector<std::int32_t>& list) {
  running_attention selected(made_row(p, tensor::q, head, token));
  const auto attend_to = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      const row_values value = made_row(p, tensor::v, head, i);
      selected.add(made_row(p, tensor::k, head, i), value, squared_norm(value));
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
