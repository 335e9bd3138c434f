// The operation compression_attention_backward on the host: rows of zeros after the last, the check, the
// work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "oracles/compression_attention_backward/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::compression_attention_backward {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;
using window_attention_backward::deviations;
using window_attention_backward::window_values;

const operation& pooled_backward() { return *find_operation("compression_attention_backward"); }

double product(const std::vector<double>& a, std::size_t i, const std::vector<double>& b, std::size_t j) {
  double sum = 0;
  for (std::size_t d = 0; d < width; ++d) sum += a[i * width + d] * b[j * width + d];
  return sum;
}

/// dQ, dK and dV of all rows as kernels compute them, with zeros after the last row and no mask: from the
/// log-sum-exp and Δ of the rows that are there.
std::vector<std::vector<double>> gradients_with_zeros(const window_values& values, std::size_t padded) {
  const auto rows = static_cast<std::size_t>(values.tokens);
  std::vector<double> lse(padded), delta(padded);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < rows; ++j) sum += std::exp(product(values.q, i, values.k, j) / 8);
    lse[i] = std::log(sum);
    for (std::size_t j = 0; j < rows; ++j)
      delta[i] += std::exp(product(values.q, i, values.k, j) / 8 - lse[i]) *
                  product(values.out_gradient, i, values.v, j);
  }
  window_values all = values;
  for (std::vector<double>* tensor : {&all.q, &all.k, &all.v, &all.out_gradient})
    tensor->resize(padded * width);
  std::vector<std::vector<double>> gradients(3, std::vector<double>(padded * width));
  for (std::size_t i = 0; i < padded; ++i)
    for (std::size_t j = 0; j < padded; ++j) {
      const double p = std::exp(product(all.q, i, all.k, j) / 8 - lse[i]),
                   ds = p * (product(all.out_gradient, i, all.v, j) - delta[i]);
      for (std::size_t d = 0; d < width; ++d) {
        gradients[0][i * width + d] += ds * all.k[j * width + d] / 8;
        gradients[1][j * width + d] += ds * all.q[i * width + d] / 8;
        gradients[2][j * width + d] += p * all.out_gradient[i * width + d];
      }
    }
  return gradients;
}

TEST(CompressionAttentionBackward, ZerosBehindTheLastRowLeaveTheGradients) {
  const checked_problem p = generated_problem_of_rows(63, 2, 5, 1);
  ASSERT_EQ(p.gradients.attention.window, 128);
  const window_values values = values_of_head(p, 1);
  ASSERT_EQ(values.tokens, 63);
  const auto seen = gradients_with_zeros(values, 128);
  std::vector<std::int64_t> all(63);
  std::iota(all.begin(), all.end(), 0);
  const window_attention_backward::key_gradients keys = exact_key_gradients(values, all);
  for (std::size_t row = 0; row < 128; ++row) {
    const std::vector<double> query =
        row < 63 ? exact_query_gradient(values, static_cast<std::int64_t>(row)) : std::vector<double>(width);
    for (std::size_t d = 0; d < width; ++d) {
      EXPECT_NEAR(seen[0][row * width + d], query[d], 1e-12) << row;
      if (row >= 63) continue;
      EXPECT_NEAR(seen[1][row * width + d], keys.k[row * width + d], 1e-12) << row;
      EXPECT_NEAR(seen[2][row * width + d], keys.v[row * width + d], 1e-12) << row;
    }
  }
}

TEST(CompressionAttentionBackward, RowsStandInWholeTiles) {
  EXPECT_EQ(padded_rows(1), 128);
  EXPECT_EQ(padded_rows(128), 128);
  EXPECT_EQ(padded_rows(2016), 2048);
  EXPECT_EQ(padded_rows(64512), 64512);
  const problem p = problem_of_rows(2016, 16);
  EXPECT_EQ(p.gradients.attention.elements(), 16 * 2048 * 64);
  EXPECT_EQ(p.gradients.attention.windows(), 1);
}

TEST(CompressionAttentionBackward, ItsReferencePassesItsCheck) {
  for (const char* images : {"1", "8"})
    for (const char* scores : {"unit", "zero"}) {
      const solved_workload solved(pooled_backward(),
                                   {{"images", images}, {"heads", "2"}, {"scores", scores}});
      EXPECT_TRUE(solved.check().ok) << images << " " << scores << ": " << solved.check().message;
    }
  const solved_workload cut(pooled_backward(), {{"images", "2"}, {"heads", "1"}, {"geometry", "vggt"}});
  EXPECT_TRUE(cut.check().ok) << cut.check().message;
  EXPECT_EQ(cut.work.input.at("rows"), 140);
  EXPECT_EQ(cut.work.input.at("padded_rows"), 256);
}

TEST(CompressionAttentionBackward, TheCheckFindsARowOfEachGradient) {
  const axis_values at = {{"images", "4"}, {"heads", "2"}};
  const char* const names[] = {"dQ", "dK", "dV"};
  for (std::size_t gradient = 0; gradient < 3; ++gradient) {
    solved_workload solved(pooled_backward(), at);
    const auto sampled = solved.output<float>("sampled_gradients");
    ASSERT_EQ(sampled.size(), 3u * 16 * 64);
    for (std::size_t d = 0; d < 64; ++d) sampled[(gradient * 16 + 7) * 64 + d] = 0;
    EXPECT_THAT(solved.check().message, HasSubstr(std::string(names[gradient]) + ", 16 sampled rows"));
    solved_workload not_a_number(pooled_backward(), at);
    not_a_number.output<float>("sampled_gradients")[gradient * 16 * 64 + 5] = NAN;
    EXPECT_FALSE(not_a_number.check().ok);

    solved_workload off(pooled_backward(), at);
    window_attention::deviation& found = off.output<deviations>("found")[0].of[gradient];
    found.worst.batch = 1, found.worst.row = 251;
    found.worst.error = 0.5f;
    found.rows_over = 1;
    EXPECT_THAT(off.check().message, HasSubstr(names[gradient]));
    EXPECT_THAT(off.check().message, HasSubstr("batch 1, row 251"));
    found.worst.error = 0;
    found.rows -= 1;
    EXPECT_THAT(off.check().message, HasSubstr("511 of 512 rows were compared"));
  }
}

TEST(CompressionAttentionBackward, ManyRowsAreSampledInDqAlone) {
  solved_workload solved(pooled_backward(), {{"images", "33"}, {"heads", "1"}});
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_FALSE(solved.quality().contains("dk_error_sampled"));
  solved.output<float>("sampled_gradients")[3 * 64 + 1] += 1;
  EXPECT_THAT(solved.check().message, HasSubstr("dQ, 16 sampled rows"));
}

TEST(CompressionAttentionBackward, CountsRowsThatAreThere) {
  const solved_workload solved(pooled_backward(), {{"images", "8"}, {"heads", "3"}});
  EXPECT_EQ(solved.work.work.flops, 10.0 * 504 * 504 * 64 * 3);
  EXPECT_EQ(solved.work.work.written_bytes, 6.0 * 504 * 64 * 3);
}

TEST(CompressionAttentionBackward, RefusesWhatIsNotComputed) {
  const auto refusal = [](const axis_values& given) { return refusal_of(pooled_backward(), given); };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{"images", "1024"}}), "");
  EXPECT_THAT(refusal({{"images", "1041"}}), HasSubstr("pooled rows, expected at most 65536"));
  EXPECT_THAT(refusal({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
}

}  // namespace
}  // namespace ablate::compression_attention_backward
