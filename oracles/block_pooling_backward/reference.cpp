#include "oracles/block_pooling_backward/reference.h"

#include <algorithm>
#include <cmath>

#include "oracles/common/head_row.h"

namespace ablate::block_pooling_backward {

using block_pooling::generated_row;
using block_pooling::patch;
using block_pooling::row;

namespace {

row given_row(const checked_problem& p, bool of_tokens, int which, std::int64_t head, std::int64_t index) {
  return head_row_of([&](int d) { return generated_gradient(p, of_tokens, which, head, index, d); });
}

/// Takes the gradient of a row that was normalized and rotated to that of the row, x.
exact_row taken_back(const checked_problem& p, int which, const row& x, const row& gradient,
                     const patch& at) {
  double mean = 0, variance = 0;
  for (const double element : x) mean += element / width;
  for (const double element : x) variance += (element - mean) * (element - mean) / width;
  const double sigma = std::sqrt(variance + static_cast<double>(block_pooling::epsilon));

  const block_pooling::checked_problem pooling = p.checked_pooling();
  row g = rotated(gradient, at, -1);
  double mean_g = 0, along = 0;
  for (std::size_t d = 0; d < width; ++d) {
    g[d] *= generated_norm(pooling, which, 0, static_cast<int>(d));
    mean_g += g[d] / width;
    along += g[d] * (x[d] - mean) / sigma / width;
  }
  exact_row result{{}, block_pooling::accepted_of_normalized * block_pooling::greatest_finite(g) / sigma};
  for (std::size_t d = 0; d < width; ++d)
    result.out[d] = (g[d] - mean_g - (x[d] - mean) / sigma * along) / sigma;
  return result;
}

row mean_of(const checked_problem& p, int which, std::int64_t head, std::int64_t block) {
  row mean{};
  const block_pooling::checked_problem pooling = p.checked_pooling();
  const token_span span = pooling.layout().span(block);
  for (std::int64_t token = span.first; token < span.first + span.count; ++token) {
    const row x = generated_row(pooling, which, head, token);
    for (std::size_t d = 0; d < width; ++d) mean[d] += x[d] / span.count;
  }
  return mean;
}

void add(exact_row& to, const exact_row& other, double factor) {
  for (std::size_t d = 0; d < width; ++d) to.out[d] += factor * other.out[d];
  // Where there is nothing to normalize, a row of NaN, there is no floor either.
  if (std::isfinite(other.floor)) to.floor += factor * other.floor;
}

/// What a token has from its block.
exact_row from_block(const checked_problem& p, int which, std::int64_t head, std::int64_t token) {
  const block_layout layout = p.pooling.layout();
  if (token >= layout.patches()) return {};
  const std::int64_t block = layout.block_of(token);
  exact_row of_mean{given_row(p, false, which, head, block), 0}, result{};
  if (which < 2 && p.pooling.mode == block_pooling::mode::pre)
    of_mean =
        taken_back(p, which, mean_of(p, which, head, block), of_mean.out, patch_of_block(p.pooling, block));
  add(result, of_mean, 1.0 / layout.span(block).count);
  return result;
}

}  // namespace

exact_row reference_row(const checked_problem& p, const sampled_row& at) {
  const int which = at.of;
  exact_row result = from_block(p, which, at.head, at.row);
  if (p.given == given::pooled) return result;
  exact_row of_token{given_row(p, true, which, at.head, at.row), 0};
  if (p.given == given::tokens && which < 2) {
    const bool is_pre = p.pooling.mode == block_pooling::mode::pre;
    if (!is_pre) add(of_token, result, 1);
    const exact_row taken = taken_back(p, which, generated_row(p.checked_pooling(), which, at.head, at.row),
                                       of_token.out, block_pooling::patch_of(at.row));
    if (!is_pre) return taken;
    of_token = taken;
  }
  add(result, of_token, 1);
  return result;
}

}  // namespace ablate::block_pooling_backward
