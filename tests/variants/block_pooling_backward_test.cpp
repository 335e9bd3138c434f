// The operation block_pooling_backward on the host: the oracle against finite differences, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/block_pooling_backward/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "variants/block_pooling_backward/buffers.h"

namespace ablate::block_pooling_backward {
namespace {

using block_pooling::mode;
using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

using numbers = std::vector<double>;

const operation& pooling_backward() { return *find_operation("block_pooling_backward"); }

checked_problem of_images(std::int64_t images, int block, mode m, given of) {
  checked_problem p;
  p.pooling.tokens = images * block_pooling::tokens_of_image;
  p.pooling.heads = 2;
  p.pooling.block = block;
  p.pooling.mode = m;
  p.given = of;
  p.pooling.writes_tokens = of == given::tokens;
  return p;
}

/// Of rows `first` and on, [count][64].
numbers generated_inputs(const checked_problem& p, int which, std::int64_t head, const token_span& span) {
  numbers x;
  for (std::int64_t token = span.first; token < span.first + span.count; ++token)
    for (int d = 0; d < width; ++d)
      x.push_back(window_attention::float_of_bf16(
          generated_bits(p.checked_pooling(), static_cast<block_pooling::tensor>(which), head, token, d)));
  return x;
}
double made(const checked_problem& p, bool of_tokens, int which, std::int64_t head, std::int64_t row,
            std::size_t d) {
  return window_attention::float_of_bf16(
      generated_gradient(p, of_tokens, which, head, row, static_cast<int>(d)));
}

/// A row of q or k normalized, then rotated at (column, row) of the patch grid.
numbers forward_row(const checked_problem& p, int which, const double* x, int column, int row) {
  double mean = 0, squares = 0;
  for (int d = 0; d < 64; ++d) mean += x[d] / 64;
  for (int d = 0; d < 64; ++d) squares += (x[d] - mean) * (x[d] - mean) / 64;
  numbers y(64), out(64);
  for (std::size_t d = 0; d < 64; ++d)
    y[d] = (x[d] - mean) / std::sqrt(squares + 1e-5) *
               generated_norm(p.checked_pooling(), which, 0, static_cast<int>(d)) +
           generated_norm(p.checked_pooling(), which, 1, static_cast<int>(d));
  for (std::size_t d = 0; d < 64; ++d) {
    const double angle = (d < 32 ? row : column) / std::pow(100.0, static_cast<double>(d % 16) / 16);
    out[d] = d % 32 < 16 ? y[d] * std::cos(angle) - y[d + 16] * std::sin(angle)
                         : y[d] * std::cos(angle) + y[d - 16] * std::sin(angle);
  }
  return out;
}

/// What the forward pass makes of a block's rows x, each times its gradient: the pooled row, and those of the
/// tokens. `turned(i)`: row i of the block, or −1 for the block itself: its column and row in the image.
double loss(const checked_problem& p, int which, std::int64_t head, std::int64_t block, const numbers& x,
            const std::vector<std::pair<int, int>>& places, std::pair<int, int> place_of_block) {
  const token_span span = p.pooling.layout().span(block);
  const bool is_pre = p.pooling.mode == mode::pre, is_normalized = which < 2;
  numbers mean(64);
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(span.count); ++i) {
    numbers token(x.begin() + static_cast<std::ptrdiff_t>(64 * i),
                  x.begin() + static_cast<std::ptrdiff_t>(64 * (i + 1)));
    const numbers raw = token;
    if (p.given == given::tokens && is_normalized)
      token = forward_row(p, which, raw.data(), places[i].first, places[i].second);
    for (std::size_t d = 0; d < 64; ++d) {
      mean[d] += (is_pre ? raw : token)[d] / span.count;
      if (p.given != given::pooled)
        sum += token[d] * made(p, true, which, head, span.first + static_cast<std::int64_t>(i), d);
    }
  }
  if (is_pre && is_normalized)
    mean = forward_row(p, which, mean.data(), place_of_block.first, place_of_block.second);
  for (std::size_t d = 0; d < 64; ++d) sum += mean[d] * made(p, false, which, head, block, d);
  return sum;
}

void expect_differences(const checked_problem& p, std::int64_t block, std::pair<int, int> place_of_block) {
  const token_span span = p.pooling.layout().span(block);
  std::vector<std::pair<int, int>> places;
  for (std::int64_t token = span.first; token < span.first + span.count; ++token) {
    const auto in_image = static_cast<int>(token % 1008);
    places.emplace_back(in_image / 16 % 9 * 4 + in_image % 4, in_image / 144 * 4 + in_image % 16 / 4);
  }
  for (int which = 0; which < tensors; ++which) {
    numbers x = generated_inputs(p, which, 1, span);
    for (const std::size_t at : {std::size_t{3}, x.size() / 2 + 40, x.size() - 1}) {
      const auto token = static_cast<std::int32_t>(span.first + static_cast<std::int64_t>(at / 64));
      constexpr double step = 1e-5;
      const double before = x[at];
      x[at] = before + step;
      const double above = loss(p, which, 1, block, x, places, place_of_block);
      x[at] = before - step;
      const double below = loss(p, which, 1, block, x, places, place_of_block);
      x[at] = before;
      EXPECT_NEAR(reference_row(p, {which, 1, token}).out[at % 64], (above - below) / (2 * step), 1e-7)
          << "tensor " << which << ", token " << token;
    }
  }
}

TEST(BlockPoolingBackward, AgreesWithFiniteDifferences) {
  for (const mode m : {mode::post, mode::pre})
    for (const given of : {given::pooled, given::added, given::tokens}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(m)) + ", " + std::to_string(static_cast<int>(of)));
      // Block 40 of the second image begins at (16, 16); block 31 of 32 tokens is of two images.
      expect_differences(of_images(2, 16, m, of), 63 + 40, {17, 17});
      expect_differences(of_images(2, 32, m, of), 31, {17, 13});
    }
}

TEST(BlockPoolingBackward, CutBlocksShareByFourAndSpecialTokensByNone) {
  checked_problem p = of_images(2, 16, mode::post, given::pooled);
  p.pooling.geometry = token_geometry::vggt;
  p.pooling.tokens = 2 * 1041;
  const std::int32_t cut = 63 * 16 + 5, special = 2 * 1036 + 3;
  for (std::size_t d = 0; d < 64; ++d) {
    EXPECT_EQ(reference_row(p, {1, 1, cut}).out[d], made(p, false, 1, 1, 64, d) / 4);
    EXPECT_EQ(reference_row(p, {1, 1, 100}).out[d], made(p, false, 1, 1, 6, d) / 16);
    EXPECT_EQ(reference_row(p, {1, 1, special}).out[d], 0);
  }
  p.given = given::added;
  for (std::size_t d = 0; d < 64; ++d)
    EXPECT_EQ(reference_row(p, {2, 0, special}).out[d], made(p, true, 2, 0, special, d));
}

TEST(BlockPoolingBackward, NanReachesWhatIsNormalizedWithItAndNothingElse) {
  for (const mode m : {mode::post, mode::pre}) {
    checked_problem p = of_images(1, 16, m, given::tokens);
    p.what = block_pooling::content::nan;
    for (int which = 0; which < tensors; ++which) {
      const std::int64_t with_nan =
          block_pooling::nan_token(p.checked_pooling(), static_cast<block_pooling::tensor>(which), 1);
      for (std::int32_t token = 0; token < 1008; ++token) {
        const exact_row row = reference_row(p, {which, 1, token});
        const bool is_reached =
            which < 2 && (m == mode::pre ? token / 16 == with_nan / 16 : token == with_nan);
        EXPECT_EQ(std::ranges::count_if(row.out, [](double x) { return std::isnan(x); }), is_reached ? 64 : 0)
            << which << ", token " << token;
      }
    }
  }
}

TEST(BlockPoolingBackward, LayoutsHaveTheSameGradientsElsewhere) {
  checked_problem p = of_images(1, 16, mode::pre, given::tokens);
  std::vector<std::uint16_t> memory(static_cast<std::size_t>(3 * p.pooling.elements()));
  const std::vector<void*> addresses(buffers(p).size(), memory.data());
  put_addresses(buffers(p), addresses);
  EXPECT_EQ(p.gradient[2] - p.gradient[0], 2 * 1008 * 2 * 64);
  EXPECT_EQ(p.token_gradient[1] - p.token_gradient[0], 1008 * 2 * 64);
  EXPECT_EQ(p.pooled_gradient[1] - p.pooled_gradient[0], 63 * 2 * 64);
  p.pooling.is_packed = true;
  put_addresses(buffers(p), addresses);
  EXPECT_EQ(p.gradient[2] - p.gradient[0], 2 * 2 * 64);
  EXPECT_EQ(p.pooling.in[1] - p.pooling.in[0], 2 * 64);
  EXPECT_EQ(p.token_gradient[1] - p.token_gradient[0], 1008 * 2 * 64);
}

TEST(BlockPoolingBackward, RefusesWhatIsNotComputed) {
  const auto refusal = [](const axis_values& given) { return refusal_of(pooling_backward(), given); };
  EXPECT_EQ(refusal({}), "");
  EXPECT_THAT(refusal({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refusal({{"geometry", "vggt"}, {"mode", "pre"}}), HasSubstr("in the geometry vggt"));
  EXPECT_THAT(refusal({{"geometry", "vggt"}, {"given", "tokens"}}), HasSubstr("in the geometry vggt"));
  EXPECT_EQ(refusal({{"geometry", "vggt"}, {"given", "added"}}), "");
  EXPECT_THAT(refusal({{"values", "nan"}}), HasSubstr("inputs are not read"));
  EXPECT_EQ(refusal({{"values", "nan"}, {"mode", "pre"}}), "");
}

TEST(BlockPoolingBackward, CountsWhatIsReadAndWritten) {
  const double elements = 3 * 1008.0 * 32 * 16 * 64;
  const solved_workload pooled(pooling_backward(), {{"images", "32"}});
  EXPECT_EQ(pooled.work.work.bytes, 2 * elements * 17 / 16);
  EXPECT_EQ(pooled.work.work.written_bytes, 2 * elements);
  const solved_workload pre(pooling_backward(), {{"images", "32"}, {"mode", "pre"}});
  EXPECT_NEAR(pre.work.work.bytes, 2 * elements * (17.0 / 16 + 2.0 / 3), 1);
  const solved_workload tokens(pooling_backward(), {{"images", "32"}, {"given", "tokens"}});
  EXPECT_NEAR(tokens.work.work.bytes, 2 * elements * (33.0 / 16 + 2.0 / 3), 1);
}

TEST(BlockPoolingBackward, ItsReferencePassesItsCheck) {
  for (const char* mode : {"post", "pre"})
    for (const char* given : {"pooled", "added", "tokens"})
      for (const char* values : {"unit", "large", "offset", "nan", "minus_zero"}) {
        if (std::string(mode) == "post" && std::string(given) != "tokens" && std::string(values) != "unit")
          continue;
        const solved_workload solved(
            pooling_backward(),
            {{"images", "1"}, {"heads", "2"}, {"mode", mode}, {"given", given}, {"values", values}});
        EXPECT_TRUE(solved.check().ok)
            << mode << " " << given << " " << values << ": " << solved.check().message;
      }
  const solved_workload cut(pooling_backward(),
                            {{"images", "3"}, {"heads", "2"}, {"given", "added"}, {"geometry", "vggt"}});
  EXPECT_TRUE(cut.check().ok) << cut.check().message;
}

TEST(BlockPoolingBackward, TheCheckFindsOneElementAndRowsThatWereNotCompared) {
  for (const char* mode : {"post", "pre"}) {
    const axis_values at = {{"images", "2"}, {"heads", "2"}, {"mode", mode}, {"given", "tokens"}};
    for (const std::size_t sample : {0u, 7u, 16u, 47u}) {
      solved_workload solved(pooling_backward(), at);
      solved.output<float>("sampled_out")[sample * 64 + 11] += 0.25f;
      EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
    }
    solved_workload not_a_number(pooling_backward(), at);
    not_a_number.output<float>("sampled_out")[0] = NAN;
    EXPECT_FALSE(not_a_number.check().ok);
    solved_workload uncompared(pooling_backward(), at);
    uncompared.output<deviation>("found")[1].rows -= 1;
    EXPECT_THAT(uncompared.check().message, HasSubstr("dk: 4031 of 4032 rows were compared"));
    solved_workload off(pooling_backward(), at);
    off.output<deviation>("found")[2].worst.error = 1.5f;
    EXPECT_THAT(off.check().message, HasSubstr("dv"));
  }
}

TEST(BlockPoolingBackward, ASumMayBeOffByOneUlp) {
  solved_workload solved(pooling_backward(), {{"images", "1"}, {"heads", "2"}, {"given", "added"}});
  float& sum = solved.output<float>("sampled_out")[20];
  const float right = sum;
  sum = right + 0.9f * block_pooling::tolerance_of(right, 0);
  EXPECT_TRUE(solved.check().ok);
  sum = right + 1.1f * block_pooling::tolerance_of(right, 0);
  EXPECT_FALSE(solved.check().ok);
}

TEST(BlockPoolingBackward, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  const auto differences = [](const char* one, const char* other) {
    return differing_switches(pooling_backward(), one, other);
  };
  EXPECT_EQ(differences("separate", "separate+load_bytes=16"), names{"load_bytes"});
  EXPECT_EQ(differences("warp_per_block", "warp_per_tensor"), names{"warp"});
  EXPECT_EQ(differences("warp_per_block", "warp_heads"), names{"neighbors"});
}

}  // namespace
}  // namespace ablate::block_pooling_backward
