#include "kernels/gated_attention/block_sparse_reference.h"

#include <algorithm>

#include "kernels/gated_attention/running_attention.h"

namespace ablate::gated_attention {

namespace {

row_values mean_of_rows(const problem& p, tensor of, std::int64_t head, std::int64_t block, int tokens) {
  const std::int64_t first = block * tokens, end = std::min(first + tokens, p.layout().patches());
  row_values sum{};
  for (std::int64_t token = first; token < end; ++token) {
    const row_values row = made_row(p, of, head, token);
    for (std::size_t d = 0; d < width; ++d) sum[d] += row[d];
  }
  for (double& x : sum)
    x = window_attention::float_of_bf16(
        window_attention::bf16_of(static_cast<float>(x / static_cast<double>(end - first))));
  return sum;
}

}  // namespace

row_values reference_query_mean(const problem& p, std::int64_t head, std::int64_t block) {
  return mean_of_rows(p, tensor::q, head, block, block_sparse_selection::query_block);
}

std::vector<row_values> reference_key_means(const problem& p, std::int64_t head) {
  constexpr int tokens = block_sparse_selection::key_block;
  std::vector<row_values> means;
  for (std::int64_t block = 0; block * tokens < p.layout().patches(); ++block)
    means.push_back(mean_of_rows(p, tensor::k, head, block, tokens));
  return means;
}

std::vector<exact_token> reference_kept(const problem& p, std::int64_t head,
                                        const std::vector<std::int64_t>& tokens,
                                        const std::vector<const std::uint32_t*>& bits) {
  const std::int64_t patches = p.layout().patches();
  std::vector<running_attention> rows;
  for (const std::int64_t token : tokens) rows.emplace_back(made_row(p, tensor::q, head, token));
  std::vector<std::size_t> attending;
  for (std::int64_t key = 0; key < p.tokens; ++key) {
    const auto block = static_cast<std::size_t>(key / block_sparse_selection::key_block);
    attending.clear();
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i] >= patches || key >= patches || (bits[i][block / 32] >> block % 32 & 1) != 0)
        attending.push_back(i);
    if (attending.empty()) continue;
    const row_values of_key = made_row(p, tensor::k, head, key), value = made_row(p, tensor::v, head, key);
    const double squared = squared_norm(value);
    for (const std::size_t i : attending) rows[i].add(of_key, value, squared);
  }
  std::vector<exact_token> attended;
  for (const running_attention& row : rows) attended.push_back(row.result());
  return attended;
}

}  // namespace ablate::gated_attention
