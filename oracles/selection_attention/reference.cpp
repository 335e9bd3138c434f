#include "oracles/selection_attention/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/memory_cutter.h"
#include "oracles/common/head_row.h"

namespace ablate::selection_attention {

namespace {

/// The row with what is compressed. Its errors are divided by what both parts are at most, so that parts that
/// cancel need no bound of their own.
exact_row gated(const checked_problem& p, const sampled_row& at, const exact_row& selected) {
  const double of_compressed = generated_gate(p, at.row, at.head, 0),
               of_selected = generated_gate(p, at.row, at.head, 1);
  exact_row result = selected;
  const head_row compressed =
      head_row_of([&](int d) { return generated_compressed(p, at.head, at.row / p.block, d); });
  for (std::size_t d = 0; d < width; ++d)
    result.out[d] = of_compressed * compressed[d] + of_selected * selected.out[d];
  result.scale =
      std::max(of_selected * selected.scale, of_compressed * std::sqrt(finite_squared_norm(compressed)));
  return result;
}

/// The tokens that a query block attends to, in the order of its list.
std::vector<std::int64_t> keys_of(const checked_problem& p, std::int64_t head, std::int64_t query_block) {
  std::vector<std::int64_t> keys;
  const auto take = [&](std::int64_t block) {
    for (std::int64_t i = 0; i < p.block; ++i) keys.push_back(block * p.block + i);
  };
  const bool is_dense = query_block < p.dense_blocks();
  for (std::int64_t block = 0; block < (is_dense ? p.blocks() : p.forced_blocks()); ++block) take(block);
  for (int slot = 0; slot < p.selected && !is_dense; ++slot) {
    const std::int64_t block = p.lists.block(head, query_block, slot);
    if (block >= p.lowest_entry() && block < p.blocks()) take(block);
  }
  return keys;
}

}  // namespace

plain_outputs cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.reference)};
  plain_outputs plain{};
  cutter.cut(plain.is_there, 1);
  const std::int64_t rows = p.compared_rows();
  cutter.cut(plain.out, rows * width);
  cutter.cut(plain.scale, rows);
  cutter.cut(plain.lse, rows);
  if (!p.keeps_plain) {
    cutter.cut(plain.seen_out, rows * width);
    cutter.cut(plain.seen_lse, rows);
  }
  if (bytes) *bytes = cutter.used;
  return plain;
}

std::size_t reference_bytes(const checked_problem& p) { return bytes_cut(cut_reference, p); }

exact_row reference_row(const checked_problem& p, const sampled_row& at) {
  const bool is_gated = p.is_gated && at.row / p.block >= p.dense_blocks();
  const head_row query = generated_row(p, tensor::q, at.head, at.row);
  const std::vector<std::int64_t> keys = keys_of(p, at.head, at.row / p.block);
  double most = -std::numeric_limits<double>::infinity();
  std::vector<double> scores;
  for (const std::int64_t token : keys) {
    const head_row key = generated_row(p, tensor::k, at.head, token);
    double score = 0;
    for (std::size_t d = 0; d < width; ++d) score += query[d] * key[d];
    scores.push_back(score / std::sqrt(width));
    most = std::max(most, scores.back());
  }
  exact_row result{};
  if (std::ranges::all_of(scores, [](double s) { return s == -std::numeric_limits<double>::infinity(); })) {
    result.lse = -std::numeric_limits<double>::infinity();
    return is_gated ? gated(p, at, result) : result;
  }
  double sum = 0, noise = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double weight = std::exp(scores[i] - most);
    const head_row value = generated_row(p, tensor::v, at.head, keys[i]);
    sum += weight;
    for (std::size_t d = 0; d < width; ++d) result.out[d] += weight * value[d];
    noise += weight * weight * finite_squared_norm(value);
  }
  for (double& element : result.out) element /= sum;
  result.lse = most + std::log(sum);
  result.scale = std::sqrt(std::max(finite_squared_norm(result.out), noise / (sum * sum)));
  return is_gated ? gated(p, at, result) : result;
}

}  // namespace ablate::selection_attention
