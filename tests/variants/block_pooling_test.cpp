// The operation block_pooling on the host: the oracle, layouts, and the check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/block_pooling/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/biased_errors.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "variants/block_pooling/buffers.h"

namespace ablate::block_pooling {
namespace {

using test_support::differing_switches;
using test_support::solved_workload;
using test_support::values_of;
using ::testing::HasSubstr;

const operation& pooling() { return *find_operation("block_pooling"); }

checked_problem of_images(std::int64_t images, std::int64_t heads, int block) {
  checked_problem p;
  p.tokens = images * tokens_of_image;
  p.heads = heads;
  p.block = block;
  return p;
}

double element(const checked_problem& p, tensor of, std::int64_t head, std::int64_t token, int d) {
  return static_cast<double>(window_attention::float_of_bf16(generated_bits(p, of, head, token, d)));
}

TEST(BlockPooling, CutBlocksAreMeansOfFour) {
  checked_problem p;
  p.tokens = 2 * 1041, p.heads = 2, p.geometry = token_geometry::vggt;
  for (const std::int32_t block : {62, 63, 69, 70, 139}) {
    const token_span span = p.layout().span(block);
    EXPECT_EQ(span.count, block % 70 < 63 ? 16 : 4);
    const exact_row found = reference_row(p, {1, 1, block});
    for (int d = 0; d < width; ++d) {
      double mean = 0;
      for (int i = 0; i < span.count; ++i)
        mean +=
            window_attention::float_of_bf16(generated_bits(p, tensor::k, 1, span.first + i, d)) / span.count;
      EXPECT_NEAR(found.out[static_cast<std::size_t>(d)], mean, 1e-12) << block;
    }
  }
}

TEST(BlockPooling, TheGeometryWithSpecialTokensIsOfMeansAlone) {
  axis_values at = values_of(pooling(), {{"geometry", "vggt"}});
  EXPECT_EQ(pooling().refuses(at), std::nullopt);
  at.set("images", "3");
  EXPECT_EQ(pooling().refuses(at), std::nullopt);
  for (const auto& [name, value] : axis_values{{"mode", "pre"}, {"output", "tokens"}, {"block", "32"}}) {
    axis_values other = at;
    other.set(name, value);
    EXPECT_THAT(pooling().refuses(other).value_or(""), HasSubstr("in the geometry vggt")) << name;
  }
  for (const char* images : {"1", "3"})
    for (const char* values : {"unit", "nan"}) {
      const solved_workload solved(
          pooling(), {{"images", images}, {"heads", "2"}, {"values", values}, {"geometry", "vggt"}});
      EXPECT_TRUE(solved.check().ok) << images << " " << values << ": " << solved.check().message;
      EXPECT_EQ(solved.work.input.at("blocks"), 70 * std::stoi(images));
    }
}

/// A row as it was before it was normalized, written out once more: element d, not yet rotated.
std::vector<double> normalized(const checked_problem& p, int which, const std::vector<double>& x) {
  double mean = 0, squares = 0;
  for (const double e : x) mean += e / 64;
  for (const double e : x) squares += (e - mean) * (e - mean);
  std::vector<double> y;
  for (int d = 0; d < width; ++d)
    y.push_back((x[static_cast<std::size_t>(d)] - mean) / std::sqrt(squares / 64 + 1e-5) *
                    generated_norm(p, which, 0, d) +
                generated_norm(p, which, 1, d));
  return y;
}

/// The row of a head's block or token, rotated at (column, row) of the patch grid.
void expect_rotated(const exact_row& found, const std::vector<double>& y, int column, int row) {
  for (int d = 0; d < width; ++d) {
    const int half = d / 32, i = d % 16;
    const double angle = (half == 0 ? row : column) / std::pow(100.0, i / 16.0);
    const double first = y[static_cast<std::size_t>(half * 32 + i)],
                 second = y[static_cast<std::size_t>(half * 32 + i + 16)];
    const double expected = d % 32 < 16 ? first * std::cos(angle) - second * std::sin(angle)
                                        : second * std::cos(angle) + first * std::sin(angle);
    EXPECT_NEAR(found.out[static_cast<std::size_t>(d)], expected, 1e-9) << d;
  }
}

TEST(BlockPooling, IsTheMeanOfABlocksRows) {
  for (const int block : {16, 32, 64, 128}) {
    const checked_problem p = of_images(8, 3, block);
    for (const std::int32_t of : {0, 1, 2}) {
      const exact_row row = reference_row(p, {of, 2, 5});
      for (int d = 0; d < width; ++d) {
        double sum = 0;
        for (int i = 0; i < block; ++i) sum += element(p, static_cast<tensor>(of), 2, 5 * block + i, d);
        EXPECT_NEAR(row.out[static_cast<std::size_t>(d)], sum / block, 1e-12);
      }
    }
  }
}

TEST(BlockPooling, NormalizesAndRotatesMeansAtTheBlocksPlace) {
  checked_problem p = of_images(2, 2, 16);
  p.mode = mode::pre;
  // Block 40 of the second image is the 5th of the 5th row of blocks: its patches begin at (16, 16).
  const std::int32_t block = 63 + 40;
  for (const int which : {0, 1}) {
    std::vector<double> mean(width);
    for (int i = 0; i < 16; ++i)
      for (int d = 0; d < width; ++d)
        mean[static_cast<std::size_t>(d)] +=
            element(p, static_cast<tensor>(which), 1, block * 16 + i, d) / 16;
    expect_rotated(reference_row(p, {which, 1, block}), normalized(p, which, mean), 17, 17);
  }
}

TEST(BlockPooling, ABlockInTwoImagesIsAtTheMeanOfItsPatches) {
  checked_problem p = of_images(2, 1, 32);
  p.mode = mode::pre;
  // The last patch block of an image begins at (32, 24), the first of the next at (0, 0).
  constexpr std::int32_t block = 31;
  std::vector<double> mean(width);
  for (int i = 0; i < 32; ++i)
    for (int d = 0; d < width; ++d)
      mean[static_cast<std::size_t>(d)] += element(p, tensor::k, 0, block * 32 + i, d) / 32;
  expect_rotated(reference_row(p, {1, 0, block}), normalized(p, 1, mean), 17, 13);
}

TEST(BlockPooling, NormalizesAndRotatesTokensWhereTheyStand) {
  checked_problem p = of_images(2, 2, 16);
  p.writes_tokens = true;
  // Token 1008 + 16 · 10 + 7: block 10 begins at (4, 4), and patch 7 is the last of its second row.
  const std::int32_t token = 1008 + 167;
  std::vector<double> x;
  for (int d = 0; d < width; ++d) x.push_back(element(p, tensor::q, 1, token, d));
  expect_rotated(reference_row(p, {tensors, 1, token}), normalized(p, 0, x), 7, 5);
  const exact_row v = reference_row(p, {tensors + 2, 1, token});
  for (int d = 0; d < width; ++d)
    EXPECT_EQ(v.out[static_cast<std::size_t>(d)], element(p, tensor::v, 1, token, d));
}

TEST(BlockPooling, PoolsTheNormalizedTokensInModePostAndTheRawOnesInModePre) {
  checked_problem p = of_images(1, 2, 16);
  p.writes_tokens = true;
  const exact_row pooled = reference_row(p, {1, 1, 20});
  for (std::size_t d = 0; d < width; ++d) {
    double sum = 0;
    for (std::int32_t i = 0; i < 16; ++i) sum += reference_row(p, {tensors + 1, 1, 20 * 16 + i}).out[d];
    EXPECT_NEAR(pooled.out[d], sum / 16, 1e-12);
  }
  p.mode = mode::pre;
  const exact_row with_tokens = reference_row(p, {1, 1, 20});
  p.writes_tokens = false;
  EXPECT_EQ(with_tokens.out, reference_row(p, {1, 1, 20}).out);
}

TEST(BlockPooling, NanReachesItsPooledRowAndNoOther) {
  checked_problem p = of_images(1, 2, 16);
  p.what = content::nan;
  for (const bool is_pre : {false, true})
    for (const std::int32_t of : {0, 1, 2})
      for (const std::int32_t head : {0, 1}) {
        p.mode = is_pre ? mode::pre : mode::post;
        const std::int64_t with_nan = nan_token(p, static_cast<tensor>(of), head) / 16;
        for (std::int32_t block = 0; block < blocks_of_image; ++block) {
          const exact_row row = reference_row(p, {of, head, block});
          const auto count = std::ranges::count_if(row.out, [](double x) { return std::isnan(x); });
          EXPECT_EQ(count, block != with_nan ? 0 : is_pre && of < 2 ? 64 : 1) << of << " " << block;
        }
      }
}

TEST(BlockPooling, RowsOfZerosBecomeTheBias) {
  checked_problem p = of_images(1, 1, 16);
  p.mode = mode::pre;
  p.what = content::minus_zero;
  std::vector<double> bias;
  for (int d = 0; d < width; ++d) bias.push_back(generated_norm(p, 0, 1, d));
  expect_rotated(reference_row(p, {0, 0, 1}), bias, 5, 1);
  EXPECT_TRUE(std::ranges::all_of(reference_row(p, {2, 0, 1}).out, [](double x) { return x == 0; }));
}

TEST(BlockPooling, AcceptsAnUlpOrTheFloorOfTheRow) {
  EXPECT_EQ(tolerance_of(1.0f, 0), 0x1p-7f);
  EXPECT_EQ(tolerance_of(-1.99f, 0), 0x1p-7f);
  EXPECT_EQ(tolerance_of(2.0f, 0), 0x1p-6f);
  EXPECT_EQ(tolerance_of(1.0f, 0.5f), 0.5f);
  EXPECT_EQ(tolerance_of(0.0f, 0), 0);
}

TEST(BlockPooling, LayoutsHaveTheSameElementsElsewhere) {
  checked_problem p = of_images(1, 3, 16);
  std::vector<std::uint16_t> memory(static_cast<std::size_t>(3 * p.elements()));
  const std::vector<void*> addresses(buffers(p).size(), memory.data());
  put_addresses(buffers(p), addresses);
  EXPECT_EQ(p.in[2] - p.in[0], 2 * 1008 * 3 * 64);
  EXPECT_EQ(p.head_stride(), 1008 * 64);
  EXPECT_EQ(p.token_stride(), 64);
  EXPECT_EQ(p.pooled[1] - p.pooled[0], 3 * 63 * 64);
  p.is_packed = true;
  put_addresses(buffers(p), addresses);
  EXPECT_EQ(p.in[2] - p.in[0], 2 * 3 * 64);
  EXPECT_EQ(p.head_stride(), 64);
  EXPECT_EQ(p.token_stride(), 3 * 3 * 64);
}

TEST(BlockPooling, RefusesTokensThatAreNoWholeBlocks) {
  const auto refusal = [](const char* images, const char* block) {
    return pooling()
        .refuses({{"images", images},
                  {"block", block},
                  {"mode", "post"},
                  {"output", "pooled"},
                  {"geometry", "s3r"}})
        .value_or("");
  };
  EXPECT_EQ(refusal("1", "16"), "");
  EXPECT_EQ(refusal("8", "128"), "");
  EXPECT_THAT(refusal("3", "32"), HasSubstr("not whole blocks of 32"));
}

TEST(BlockPooling, CountsWhatIsReadAndWritten) {
  const double inputs = 3 * 2 * 1008.0 * 32 * 16 * 64;
  const solved_workload pooled(pooling(), {{"images", "32"}, {"block", "64"}});
  EXPECT_EQ(pooled.work.work.bytes, inputs * 65 / 64);
  EXPECT_EQ(pooled.work.work.written_bytes, inputs / 64);
  const solved_workload tokens(pooling(), {{"images", "32"}, {"output", "tokens"}});
  EXPECT_EQ(tokens.work.work.bytes, inputs * 2 + inputs / 16);
  EXPECT_EQ(tokens.work.work.written_bytes, inputs + inputs / 16);
}

TEST(BlockPooling, InputsOfEveryKindHaveAHashOfTheirOwn) {
  std::vector<std::string> hashes;
  for (const char* values : {"unit", "large", "offset", "nan", "minus_zero"}) {
    const solved_workload solved(pooling(), {{"images", "1"}, {"heads", "2"}, {"values", values}});
    hashes.push_back(solved.work.input.at("hash").get<std::string>());
  }
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

TEST(BlockPooling, ItsReferencePassesItsCheck) {
  for (const char* mode : {"post", "pre"})
    for (const char* output : {"pooled", "tokens"})
      for (const char* values : {"unit", "large", "offset", "nan", "minus_zero"}) {
        const solved_workload solved(
            pooling(),
            {{"images", "1"}, {"heads", "2"}, {"mode", mode}, {"output", output}, {"values", values}});
        EXPECT_TRUE(solved.check().ok)
            << mode << " " << output << " " << values << ": " << solved.check().message;
      }
}

TEST(BlockPooling, TheCheckFindsOneElementAndRowsThatWereNotCompared) {
  for (const char* mode : {"post", "pre"}) {
    const axis_values at = {{"images", "2"}, {"heads", "2"}, {"mode", mode}, {"output", "tokens"}};
    for (const std::size_t sample : {0u, 7u, 16u, 95u}) {
      solved_workload solved(pooling(), at);
      solved.output<float>("sampled_out")[sample * 64 + 11] += 0.1f;
      EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
    }
    solved_workload not_a_number(pooling(), at);
    not_a_number.output<float>("sampled_out")[0] = NAN;
    EXPECT_FALSE(not_a_number.check().ok);
    solved_workload uncompared(pooling(), at);
    uncompared.output<deviation>("found")[4].rows -= 1;
    EXPECT_THAT(uncompared.check().message, HasSubstr("k of tokens: 4031 of 4032 rows were compared"));
    solved_workload off(pooling(), at);
    off.output<deviation>("found")[1].worst.error = 1.5f;
    EXPECT_THAT(off.check().message, HasSubstr("pooled k"));
    solved_workload truncated(pooling(), at);
    truncated.output<deviation>("found")[3].signs = test_support::biased_errors(-2e-3);
    EXPECT_THAT(truncated.check().message, HasSubstr("q of tokens: elements are 2.00e-03"));
    EXPECT_NEAR(truncated.quality().at("tokens_bias").get<double>(), -2e-3, 1e-9);
  }
}

TEST(BlockPooling, AMeanMayBeOffByOneUlp) {
  solved_workload solved(pooling(), {{"images", "1"}, {"heads", "2"}});
  float& mean = solved.output<float>("sampled_out")[20];
  const float right = mean;
  mean = right + 0.9f * tolerance_of(right, 0);
  EXPECT_TRUE(solved.check().ok);
  mean = right + 1.1f * tolerance_of(right, 0);
  EXPECT_FALSE(solved.check().ok);
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(pooling(), one, other);
}

TEST(BlockPooling, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("separate", "separate+load_bytes=16"), names{"load_bytes"});
  EXPECT_EQ(differences("separate", "fused_4_bytes"), names{"steps"});
  EXPECT_EQ(differences("fused_4_bytes", "vec16"), names{"load_bytes"});
  EXPECT_EQ(differences("separate+load_bytes=16", "vec16"), names{"steps"});
  EXPECT_EQ(differences("vec16", "vec16+loads_in_flight=4"), names{"loads_in_flight"});
  EXPECT_EQ(differences("vec16", "vec16+neighbors=heads"), names{"neighbors"});
  EXPECT_EQ(differences("vec16+loads_in_flight=4", "warp_4_loads"), names{"warp"});
  EXPECT_EQ(differences("warp_per_block", "warp_4_loads"), names{"loads_in_flight"});
  EXPECT_EQ(differences("warp_per_block", "warp_heads"), names{"neighbors"});
}

}  // namespace
}  // namespace ablate::block_pooling
