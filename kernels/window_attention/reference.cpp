#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/window_attention/made_inputs.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

namespace {

std::uint64_t place_of(const problem& p, std::int64_t batch, std::int64_t row, std::int64_t head) {
  return static_cast<std::uint64_t>(((batch * p.tokens + row) * p.heads + head) * p.width);
}

double value(const problem& p, tensor of, std::uint64_t place, int element) {
  const float spread = of == tensor::q || of == tensor::k ? p.score_spread : 1;
  return float_of_bf16(made_element(p.seed, of, place + static_cast<std::uint64_t>(element), spread));
}

std::int64_t window_of(const problem& p, std::int64_t row) {
  if (p.rows == row_order::scattered) return p.narrow.token_of_row[row] / p.window;
  const std::int64_t buckets = p.tokens / p.bucket;
  const auto at = std::find(p.scope, p.scope + buckets, static_cast<std::uint32_t>(row / p.bucket));
  return (at - p.scope) / (p.window / p.bucket);
}

}  // namespace

// A norm for 128 keys; a count of query tiles, and an entry and a mark for each 128 queries.
std::size_t scratch_bytes(const problem& p) {
  const auto rows = static_cast<std::size_t>(p.batches * p.heads * p.tokens);
  return sizeof(float) * (rows / 128) + sizeof(std::uint32_t) * (1 + 2 * (rows / 128));
}

std::int64_t row_of(const problem& p, std::int64_t w, std::int64_t t) {
  if (p.rows == row_order::scattered) return p.narrow.row_of_token[w * p.window + t];
  return static_cast<std::int64_t>(p.scope[w * (p.window / p.bucket) + t / p.bucket]) * p.bucket +
         t % p.bucket;
}

std::int64_t compared_stride(const problem& p) {
  constexpr std::int64_t few_scores = 1 << 26;
  return p.batches * p.tokens * p.window * p.heads <= few_scores ? 1 : 8;
}

exact_row reference_row(const problem& p, const sampled_row& at) {
  const std::int64_t window = window_of(p, at.row);
  const std::uint64_t query = place_of(p, at.batch, at.row, at.head);
  std::vector<double> scores(static_cast<std::size_t>(p.window));
  for (std::int64_t t = 0; t < p.window; ++t) {
    const std::uint64_t key = place_of(p, at.batch, row_of(p, window, t), at.head);
    double score = 0;
    for (int d = 0; d < p.width; ++d) score += value(p, tensor::q, query, d) * value(p, tensor::k, key, d);
    scores[static_cast<std::size_t>(t)] = score / std::sqrt(p.width);
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  exact_row result{};
  double sum = 0;
  for (std::int64_t t = 0; t < p.window; ++t) {
    const double weight = std::exp(scores[static_cast<std::size_t>(t)] - most);
    const std::uint64_t key = place_of(p, at.batch, row_of(p, window, t), at.head);
    sum += weight;
    for (int d = 0; d < p.width; ++d)
      result.out[static_cast<std::size_t>(d)] += weight * value(p, tensor::v, key, d);
  }
  for (double& element : result.out) element /= sum;
  result.lse = most + std::log(sum);
  return result;
}

}  // namespace ablate::window_attention
