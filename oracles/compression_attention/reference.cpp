#include "oracles/compression_attention/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/common/memory_cutter.h"
#include "oracles/common/head_row.h"

namespace ablate::compression_attention {

namespace {

/// The greatest number of bf16 that does not exceed x, a number of fp32.
double rounded_down_to_bf16(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  const std::uint32_t kept = bits & 0xffff0000u;
  const bool is_negative = (bits >> 31) != 0;
  return std::bit_cast<float>(is_negative && kept != bits ? kept + 0x10000u : kept);
}

std::vector<std::int32_t> list_of(const problem& p, std::vector<double> scores) {
  if (p.compared == comparison::bf16) std::ranges::transform(scores, scores.begin(), rounded_down_to_bf16);
  std::vector<std::int32_t> keys;
  for (auto i = static_cast<std::size_t>(p.first_listed); i < scores.size(); ++i)
    if (scores[i] > -std::numeric_limits<double>::infinity()) keys.push_back(static_cast<std::int32_t>(i));
  const auto by_score = [&](std::int32_t a, std::int32_t b) {
    const double of_a = scores[static_cast<std::size_t>(a)], of_b = scores[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const auto listed = std::min<std::size_t>(keys.size(), static_cast<std::size_t>(p.selected));
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(listed), keys.end(), by_score);
  keys.resize(listed);
  if (p.by_index) std::ranges::sort(keys);
  keys.resize(static_cast<std::size_t>(p.selected), -1);
  return keys;
}

exact_row attend(const problem& p, const std::vector<double>& scores, const std::vector<row_values>& values) {
  exact_row result{};
  result.list = list_of(p, scores);
  double most = -std::numeric_limits<double>::infinity(), sum = 0, noise = 0;
  for (const double s : scores) most = std::max(most, s);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = std::exp((scores[i] - most) / std::sqrt(width));
    sum += weight;
    for (std::size_t d = 0; d < width; ++d) result.out[d] += weight * values[i][d];
    noise += weight * weight * finite_squared_norm(values[i]);
  }
  for (double& element : result.out) element /= sum;
  result.lse = most / std::sqrt(width) + std::log(sum);
  result.scale = std::sqrt(std::max(finite_squared_norm(result.out), noise / (sum * sum)));
  return result;
}

}  // namespace

plain_outputs cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.reference)};
  plain_outputs plain{};
  cutter.cut(plain.out, p.compared_rows() * width);
  cutter.cut(plain.scale, p.compared_rows());
  cutter.cut(plain.lse, p.compared_rows());
  cutter.cut(plain.seen_out, p.compared_rows() * width);
  cutter.cut(plain.seen_lse, p.compared_rows());
  if (bytes) *bytes = cutter.used;
  return plain;
}

std::size_t reference_bytes(const checked_problem& p) { return bytes_cut(cut_reference, p); }

exact_row reference_row(const problem& p, const row_values& query, const std::vector<row_values>& keys,
                        const std::vector<row_values>& values) {
  std::vector<double> scores;
  for (const row_values& key : keys)
    scores.push_back(std::inner_product(key.begin(), key.end(), query.begin(), 0.0));
  return attend(p, scores, values);
}

std::vector<exact_row> reference_rows(const checked_problem& p, const std::vector<sampled_row>& samples) {
  std::vector<exact_row> rows;
  if (samples.empty()) return rows;
  const std::int64_t head = samples.front().head;
  std::vector<row_values> keys, values;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    keys.push_back(generated_row(p, tensor::k, head, i));
    values.push_back(generated_row(p, tensor::v, head, i));
  }
  for (const sampled_row& at : samples)
    rows.push_back(reference_row(p, generated_row(p, tensor::q, head, at.row), keys, values));
  return rows;
}

}  // namespace ablate::compression_attention
