#include "oracles/global_attention/reference.h"

#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/running_attention.h"

namespace ablate::global_attention {

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

/// `see` gets each token with its key and value.
template <class See>
std::vector<exact_token> walk_head(const checked_layer& p, std::int64_t head,
                                   const std::vector<std::int64_t>& tokens, See see) {
  std::vector<running_attention> attending;
  for (const std::int64_t token : tokens) attending.emplace_back(generated_row(p, tensor::q, head, token));
  for (std::int64_t token = 0; token < p.tokens; ++token) {
    const row_values key = generated_row(p, tensor::k, head, token),
                     value = generated_row(p, tensor::v, head, token);
    const double squared = squared_norm(value);
    for (running_attention& row : attending) row.add(key, value, squared);
    see(token, key, value);
  }
  std::vector<exact_token> attended;
  for (const running_attention& row : attending) attended.push_back(row.result());
  return attended;
}

}  // namespace

std::vector<exact_token> reference_among_all(const checked_layer& p, std::int64_t head,
                                             const std::vector<std::int64_t>& tokens) {
  return walk_head(p, head, tokens, [](std::int64_t, const row_values&, const row_values&) {});
}

exact_head reference_with_means(const checked_layer& p, std::int64_t head,
                                const std::vector<std::int64_t>& tokens) {
  exact_head known;
  pooled_rows keys(p.layout(), 0), values(p.layout(), 0);
  known.dense =
      walk_head(p, head, tokens, [&](std::int64_t token, const row_values& key, const row_values& value) {
        if (token >= p.layout().patches()) return;
        keys.add(key, known.pooled_keys);
        values.add(value, known.pooled_values);
      });
  return known;
}

row_values reference_pooled_query(const checked_layer& p, std::int64_t head, std::int64_t block) {
  pooled_rows queries(p.layout(), block);
  std::vector<row_values> query;
  const token_span span = p.layout().span(block);
  for (std::int64_t i = span.first; i < span.first + span.count; ++i)
    queries.add(generated_row(p, tensor::q, head, i), query);
  return query.front();
}

}  // namespace ablate::global_attention
