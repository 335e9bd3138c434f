#include "oracles/window_attention/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/common/memory_cutter.h"
#include "oracles/common/head_row.h"

namespace ablate::window_attention {

namespace {

/// [width] elements of a token in `row` of its batch.
std::vector<double> values(const checked_problem& p, tensor of, const token_place& at, std::int64_t row) {
  std::vector<double> all;
  for (int d = 0; d < p.width; ++d) all.push_back(generated_value(p, of, at, row, d));
  return all;
}

double norm_of(std::span<const double> values) { return std::sqrt(finite_squared_norm(values)); }

}  // namespace

std::int64_t row_of(const problem& p, std::int64_t w, std::int64_t t) {
  if (p.rows == row_order::scattered) return p.narrow.row_of_token[w * p.window + t];
  return static_cast<std::int64_t>(p.scope[w * (p.window / p.bucket) + t / p.bucket]) * p.bucket +
         t % p.bucket;
}

plain_outputs cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.reference)};
  plain_outputs plain{};
  const std::int64_t rows = p.batches * p.tokens * p.heads;
  cutter.cut(plain.is_there, 1);
  cutter.cut(plain.out, p.elements());
  cutter.cut(plain.scale, rows);
  cutter.cut(plain.lse, rows);
  if (bytes) *bytes = cutter.used;
  return plain;
}

std::size_t reference_bytes(const problem& p) { return bytes_cut(cut_reference, checked_problem{p}); }

window_place place_of_row(const problem& p, std::int64_t row) {
  if (p.rows == row_order::scattered) {
    const std::int64_t token = p.narrow.token_of_row[row];
    return {token / p.window, token % p.window};
  }
  const std::int64_t buckets = p.tokens / p.bucket, in_window = p.window / p.bucket;
  const std::int64_t at =
      std::find(p.scope, p.scope + buckets, static_cast<std::uint32_t>(row / p.bucket)) - p.scope;
  return {at / in_window, at % in_window * p.bucket + row % p.bucket};
}

double generated_value(const checked_problem& p, tensor of, const token_place& at, std::int64_t row,
                       int element) {
  const std::int64_t index = ((at.batch * p.tokens + row) * p.heads + at.head) * p.width + element;
  return float_of_bf16(p.inputs.element(of, at, static_cast<std::uint64_t>(index)));
}

exact_row reference_row(const checked_problem& p, const sampled_row& at) {
  const window_place place = place_of_row(p, at.row);
  const auto token = [&](std::int64_t t) { return token_place{at.batch, place.window, t, at.head}; };
  const std::vector<double> query = values(p, tensor::q, token(place.token), at.row);
  std::vector<double> scores;
  for (std::int64_t t = 0; t < p.window; ++t) {
    const std::vector<double> key = values(p, tensor::k, token(t), row_of(p, place.window, t));
    scores.push_back(std::inner_product(query.begin(), query.end(), key.begin(), 0.0) / std::sqrt(p.width));
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  exact_row result{};
  double sum = 0, noise = 0;
  for (std::int64_t t = 0; t < p.window; ++t) {
    const double weight = std::exp(scores[static_cast<std::size_t>(t)] - most);
    const std::vector<double> value = values(p, tensor::v, token(t), row_of(p, place.window, t));
    sum += weight;
    for (std::size_t d = 0; d < value.size(); ++d) result.out[d] += weight * value[d];
    noise += std::pow(weight * norm_of(value), 2);
  }
  for (double& element : result.out) element /= sum;
  result.lse = most + std::log(sum);
  const double norm = norm_of(std::span(result.out).first(static_cast<std::size_t>(p.width)));
  result.scale = std::max(norm, std::sqrt(noise) / sum);
  return result;
}

}  // namespace ablate::window_attention
