// The fp64 oracle of the gradients against finite differences of the loss whose gradients they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/inputs/random.h"
#include "oracles/window_attention/reference.h"
#include "oracles/window_attention/scattered_rows.h"
#include "oracles/window_attention_backward/reference.h"

namespace ablate::window_attention_backward::reference_test {
namespace {

window_values made(int tokens, int width) {
  random_stream random(7, "window");
  window_values w{tokens, width, {}, {}, {}, {}};
  for (auto* values : {&w.q, &w.k, &w.v, &w.out_gradient})
    for (int i = 0; i < tokens * width; ++i) values->push_back(random.normal());
  return w;
}

/// Σ dO∘O.
double loss(const window_values& w) {
  double sum = 0;
  for (int i = 0; i < w.tokens; ++i) {
    std::vector<double> weights;
    for (int j = 0; j < w.tokens; ++j) {
      const double score = std::inner_product(w.q.begin() + i * w.width, w.q.begin() + (i + 1) * w.width,
                                              w.k.begin() + j * w.width, 0.0);
      weights.push_back(std::exp(score / std::sqrt(w.width)));
    }
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (int j = 0; j < w.tokens; ++j)
      sum += weights[static_cast<std::size_t>(j)] / all *
             std::inner_product(w.out_gradient.begin() + i * w.width,
                                w.out_gradient.begin() + (i + 1) * w.width, w.v.begin() + j * w.width, 0.0);
  }
  return sum;
}

double difference(window_values w, std::vector<double> window_values::*of, std::size_t at) {
  constexpr double step = 1e-5;
  (w.*of)[at] += step;
  const double above = loss(w);
  (w.*of)[at] -= 2 * step;
  return (above - loss(w)) / (2 * step);
}

TEST(WindowAttentionBackwardReference, AgreesWithFiniteDifferences) {
  for (const int tokens : {1, 7}) {
    const window_values w = made(tokens, 4);
    std::vector<std::int64_t> all(static_cast<std::size_t>(tokens));
    std::iota(all.begin(), all.end(), 0);
    const key_gradients keys = exact_key_gradients(w, all);
    for (int i = 0; i < tokens; ++i) {
      const std::vector<double> query = exact_query_gradient(w, i);
      for (int d = 0; d < w.width; ++d) {
        const auto at = static_cast<std::size_t>(i * w.width + d);
        EXPECT_NEAR(query[static_cast<std::size_t>(d)], difference(w, &window_values::q, at), 1e-8);
        EXPECT_NEAR(keys.k[at], difference(w, &window_values::k, at), 1e-8);
        EXPECT_NEAR(keys.v[at], difference(w, &window_values::v, at), 1e-8);
      }
    }
  }
}

TEST(WindowAttentionBackwardReference, ColumnsOfDvAndOfDoHaveTheSameSum) {
  const window_values w = made(11, 3);
  std::vector<std::int64_t> all(11);
  std::iota(all.begin(), all.end(), 0);
  const key_gradients keys = exact_key_gradients(w, all);
  for (std::size_t d = 0; d < 3; ++d) {
    double of_v = 0, of_out = 0;
    for (std::size_t i = 0; i < 11; ++i) {
      of_v += keys.v[i * 3 + d];
      of_out += w.out_gradient[i * 3 + d];
    }
    EXPECT_NEAR(of_v, of_out, 1e-12);
  }
}

TEST(WindowAttentionBackwardReference, TakesTokensWhereTheScopePutsThem) {
  window_attention::checked_problem p;
  p.batches = 2;
  p.tokens = 1024;
  p.heads = 3;
  p.width = 16;
  p.window = 512;
  p.bucket = 128;
  const std::vector<std::uint32_t> scope = {3, 0, 6, 5, 7, 1, 2, 4};
  p.scope = scope.data();
  for (const std::int64_t row : {0, 127, 128, 700, 1023}) {
    const window_attention::window_place at = window_attention::place_of_row(p, row);
    EXPECT_EQ(window_attention::row_of(p, at.window, at.token), row);
    const window_values w = values_of(p, 1, at.window, 2);
    ASSERT_EQ(w.k.size(), 512u * 16u);
    const auto place = static_cast<std::uint64_t>(((1024 + row) * 3 + 2) * 16 + 5);
    EXPECT_EQ(w.k[static_cast<std::size_t>(at.token * 16 + 5)],
              window_attention::float_of_bf16(
                  window_attention::generated_element(p.inputs.seed, window_attention::tensor::k, place, 1)));
  }
}

TEST(WindowAttentionBackwardReference, TakesTokensWhereTheIndexPutsThem) {
  const window_attention::scattered_rows rows({40, 10, 30, 20, 60, 50});
  window_attention::checked_problem p;
  p.tokens = 6;
  p.window = 3;
  p.rows = window_attention::row_order::scattered;
  p.narrow = {rows.narrow_row_of_token.data(), rows.narrow_token_of_row.data()};
  for (std::int64_t row = 0; row < 6; ++row) {
    const window_attention::window_place at = window_attention::place_of_row(p, row);
    EXPECT_EQ(window_attention::row_of(p, at.window, at.token), row);
  }
  EXPECT_EQ(window_attention::place_of_row(p, 3).token, 1);
  EXPECT_EQ(window_attention::place_of_row(p, 5).window, 1);
}

}  // namespace
}  // namespace ablate::window_attention_backward::reference_test
