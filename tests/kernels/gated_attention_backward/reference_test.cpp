// The oracle of the layer's gradients: against finite differences of a forward pass of its own, and what must
// hold of gradients.
#include "oracles/gated_attention_backward/reference.h"
#include "kernels/common/mixed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "oracles/common/generated_element.h"

namespace ablate::gated_attention_backward {
namespace {

using window_attention::tensor;

/// A head whose numbers can be changed.
struct small_head {
  std::int64_t tokens = 512;
  int block = 16, selected = 4;
  std::vector<row> q, k, v, out_gradient;
  std::vector<std::array<double, 2>> gates;
  std::vector<std::int32_t> table;

  small_head() {
    std::uint64_t state = 7;
    const auto next = [&] { return static_cast<double>(mixed(++state) >> 11) * 0x1p-53; };
    for (std::vector<row>* rows : {&q, &k, &v, &out_gradient}) {
      rows->resize(static_cast<std::size_t>(tokens));
      for (row& r : *rows)
        for (double& x : r) x = 3.4 * (next() - 0.5);
    }
    for (std::int64_t i = 0; i < tokens; ++i) gates.push_back({0.1 + 0.8 * next(), 0.1 + 0.8 * next()});
    // Lists of distinct blocks, one of them empty, one short; block 3 is in many, block 20 in none.
    for (std::int64_t b = 0; b < blocks(); ++b)
      for (int slot = 0; slot < selected; ++slot) {
        auto entry = static_cast<std::int32_t>(slot == 0 ? 3 : (b * 5 + slot * 7) % 19);
        if (slot > 0 && entry == 3) entry = 25;
        if (b == 9 || (b == 11 && slot > 0)) entry = -1;
        table.push_back(entry);
      }
  }
  std::int64_t blocks() const { return tokens / block; }

  head_values values() const {
    head_values head{
        .tokens = tokens,
        .block = block,
        .selected = selected,
        .values =
            [this](tensor of, std::int64_t token) {
              const auto at = static_cast<std::size_t>(token);
              return of == tensor::q   ? q[at]
                     : of == tensor::k ? k[at]
                     : of == tensor::v ? v[at]
                                       : out_gradient[at];
            },
        .entry = [this](std::int64_t b,
                        int slot) { return table[static_cast<std::size_t>(b * selected + slot)]; }};
    head.gate = [this](std::int64_t token, int which) {
      return gates[static_cast<std::size_t>(token)][static_cast<std::size_t>(which)];
    };
    head.compressed = [this](std::int64_t b) { return compressed(b); };
    return head;
  }

  row mean(const std::vector<row>& of, std::int64_t b) const {
    row sum{};
    for (std::int64_t t = b * block; t < (b + 1) * block; ++t)
      for (std::size_t d = 0; d < width; ++d) sum[d] += of[static_cast<std::size_t>(t)][d] / block;
    return sum;
  }
  static row attend(const row& query, const std::vector<row>& keys, const std::vector<row>& values) {
    row out{};
    double sum = 0;
    for (std::size_t j = 0; j < keys.size(); ++j) {
      const double weight =
          std::exp(std::inner_product(query.begin(), query.end(), keys[j].begin(), 0.0) / 8);
      sum += weight;
      for (std::size_t d = 0; d < width; ++d) out[d] += weight * values[j][d];
    }
    for (double& x : out) x = sum > 0 ? x / sum : 0;
    return out;
  }
  row compressed(std::int64_t b) const {
    std::vector<row> keys, values;
    for (std::int64_t i = 0; i < blocks(); ++i) {
      keys.push_back(mean(k, i));
      values.push_back(mean(v, i));
    }
    return attend(mean(q, b), keys, values);
  }
  row selected_out(std::int64_t token) const {
    std::vector<row> keys, values;
    for (int slot = 0; slot < selected; ++slot) {
      const std::int64_t b = table[static_cast<std::size_t>(token / block * selected + slot)];
      for (std::int64_t t = b * block; b >= 0 && t < (b + 1) * block; ++t) {
        keys.push_back(k[static_cast<std::size_t>(t)]);
        values.push_back(v[static_cast<std::size_t>(t)]);
      }
    }
    return attend(q[static_cast<std::size_t>(token)], keys, values);
  }
  /// Σ dO∘O over everything.
  double loss() const {
    double sum = 0;
    for (std::int64_t b = 0; b < blocks(); ++b) {
      const row c = compressed(b);
      for (std::int64_t t = b * block; t < (b + 1) * block; ++t) {
        const auto at = static_cast<std::size_t>(t);
        const row s = selected_out(t);
        for (std::size_t d = 0; d < width; ++d)
          sum += out_gradient[at][d] * (gates[at][0] * c[d] + gates[at][1] * s[d]);
      }
    }
    return sum;
  }
  double slope(double& of) {
    const double before = of, step = 1e-4;
    of = before + step;
    const double above = loss();
    of = before - step;
    const double below = loss();
    of = before;
    return (above - below) / (2 * step);
  }
};

/// The layer's gradients of a token, in the order q, k, v.
std::array<row, 3> gradients_of(const small_head& head, std::int64_t token) {
  const head_values values = head.values(), pooled = pooled_head(values, pooled_rounding::none);
  const std::int64_t block = token / head.block;
  std::vector<std::int64_t> all(static_cast<std::size_t>(head.blocks()));
  std::iota(all.begin(), all.end(), 0);
  const key_gradients selected = exact_key_gradients(values, block, query_blocks_of(values, block));
  const key_gradients of_pooled = exact_key_gradients(pooled, block, all);
  const auto in_block = static_cast<std::size_t>(token % head.block);
  return {both_ways(exact_query_gradient(values, token), exact_query_gradient(pooled, block), head.block).of,
          both_ways(selected.k[in_block], of_pooled.k.front(), head.block).of,
          both_ways(selected.v[in_block], of_pooled.v.front(), head.block).of};
}

TEST(GatedAttentionBackwardReference, AgreesWithFiniteDifferences) {
  small_head head;
  // Of tokens of a popular block, of one that no list names, of the block with an empty list and the short
  // one.
  for (const std::int64_t token : {55, 20 * 16 + 3, 9 * 16, 11 * 16 + 15}) {
    const std::array<row, 3> exact = gradients_of(head, token);
    const auto at = static_cast<std::size_t>(token);
    std::vector<row>* const tensors[] = {&head.q, &head.k, &head.v};
    for (std::size_t which = 0; which < 3; ++which) {
      const std::size_t d = (at * 7 + which * 13) % width;
      EXPECT_NEAR(exact[which][d], head.slope((*tensors[which])[at][d]), 1e-6) << token << ", " << which;
    }
    const std::array<double, 2> gates = exact_gate_gradients(head.values(), token);
    for (std::size_t which = 0; which < 2; ++which)
      EXPECT_NEAR(gates[which], head.slope(head.gates[at][which]), 1e-6) << token << ", gate " << which;
  }
}

TEST(GatedAttentionBackwardReference, KeysReceiveNothingOfAShiftOfAllScores) {
  small_head head;
  // With q = 1 in one channel, the same number added to that of all keys shifts all scores of a row alike.
  constexpr std::size_t channel = 17;
  for (row& q : head.q) q[channel] = 1;
  double sum = 0, absolute = 0;
  const head_values values = head.values();
  for (std::int64_t block = 0; block < head.blocks(); ++block)
    for (const graded_row& k : exact_key_gradients(values, block, query_blocks_of(values, block)).k) {
      sum += k.of[channel];
      absolute += std::abs(k.of[channel]);
    }
  EXPECT_GT(absolute, 1);
  EXPECT_NEAR(sum, 0, 1e-10 * absolute);
}

TEST(GatedAttentionBackwardReference, EqualKeysGiveQueriesNoGradientAndEqualValuesNeitherThemNorKeys) {
  small_head equal_keys;
  std::fill(equal_keys.k.begin(), equal_keys.k.end(), equal_keys.k.front());
  const row of_query = gradients_of(equal_keys, 100)[0];
  for (const double x : of_query) EXPECT_NEAR(x, 0, 1e-12);
  small_head equal_values;
  std::fill(equal_values.v.begin(), equal_values.v.end(), equal_values.v.front());
  const std::array<row, 3> of_all = gradients_of(equal_values, 55);
  for (std::size_t which : {0u, 1u})
    for (const double x : of_all[which]) EXPECT_NEAR(x, 0, 1e-12) << which;
}

TEST(GatedAttentionBackwardReference, GatesOfOneAndZeroLeaveOneOfBothBranches) {
  small_head head;
  for (auto& gates : head.gates) gates = {0, 1};
  const std::int64_t token = 300;
  const head_values values = head.values();
  EXPECT_EQ(gradients_of(head, token)[0], exact_query_gradient(values, token).of);
  for (auto& gates : head.gates) gates = {1, 0};
  const head_values pooled = pooled_head(head.values(), pooled_rounding::none);
  const row of_pooled = exact_query_gradient(pooled, token / head.block).of;
  const row whole = gradients_of(head, token)[0];
  for (std::size_t d = 0; d < width; ++d) EXPECT_DOUBLE_EQ(whole[d], of_pooled[d] / head.block);
}

TEST(GatedAttentionBackwardReference, ValuesReceiveWhatOutputsAreGiven) {
  small_head head;
  // Except the queries of the empty list, whose selection attends to nothing.
  const head_values values = head.values(), pooled = pooled_head(values, pooled_rounding::none);
  std::vector<std::int64_t> all(static_cast<std::size_t>(head.blocks()));
  std::iota(all.begin(), all.end(), 0);
  row received{}, given{};
  for (std::int64_t block = 0; block < head.blocks(); ++block) {
    const key_gradients selected = exact_key_gradients(values, block, query_blocks_of(values, block));
    const key_gradients of_pooled = exact_key_gradients(pooled, block, all);
    for (const graded_row& v : selected.v)
      for (std::size_t d = 0; d < width; ++d)
        received[d] += both_ways(v, of_pooled.v.front(), head.block).of[d];
    for (std::int64_t t = block * head.block; t < (block + 1) * head.block; ++t) {
      const auto at = static_cast<std::size_t>(t);
      const double gates = head.gates[at][0] + (block == 9 ? 0 : head.gates[at][1]);
      for (std::size_t d = 0; d < width; ++d) given[d] += gates * head.out_gradient[at][d];
    }
  }
  for (std::size_t d = 0; d < width; ++d) EXPECT_NEAR(received[d], given[d], 1e-9);
}

TEST(GatedAttentionBackwardReference, WhatBothWaysMayBeOffByAddsUp) {
  graded_row selected, pooled;
  selected.of[3] = 1;
  selected.scale = 2;
  pooled.of[3] = 32;
  pooled.scale = 16;
  pooled.moved[5] = 0.16;
  const graded_row both = both_ways(selected, pooled, 16);
  EXPECT_EQ(both.of[3], 3);
  EXPECT_DOUBLE_EQ(both.scale, 2 + 1 + 0.16 / 1e-2 / 16);
  EXPECT_EQ(both.moved[5], 0);
}

}  // namespace
}  // namespace ablate::gated_attention_backward
