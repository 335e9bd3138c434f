// The operation window_attention_backward on the host: axes, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

#include "harness/registry/registry.h"
#include "oracles/window_attention_backward/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::window_attention_backward_test {
namespace {

using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using window_attention_backward::deviations;

const operation& backward() { return *find_operation("window_attention_backward"); }

/// Of a few tokens.
axis_values at(const axis_values& given) {
  return values_of(
      backward(),
      with({{"tokens", "512"}, {"window", "256"}, {"bucket", "128"}, {"heads", "2"}, {"width", "16"}},
           given));
}

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given = {}) : solved_workload(backward(), at(given)) {}
  deviations& found() { return output<deviations>("found")[0]; }
};

TEST(WindowAttentionBackwardOperation, TakesTheReferenceAndNoPoison) {
  for (const axis_values& given : {axis_values{}, axis_values{{"width", "128"}, {"stride", "2"}},
                                   axis_values{{"order", "shuffled"}, {"batches", "2"}, {"heads", "1"}},
                                   axis_values{{"scores", "zero"}, {"offset", "1"}},
                                   axis_values{{"rows", "contiguous"}}, axis_values{{"rows", "scan"}}}) {
    const solved_case c(given);
    EXPECT_TRUE(c.check().ok) << c.check().message;
    EXPECT_FALSE(c.check_poison().ok);
  }
}

TEST(WindowAttentionBackwardOperation, SumsAreKeptForVariantsWhoseLastBlockRoundsAlone) {
  const axis_values few = at({});
  const input_library inputs(1, {}, {});
  std::set<std::string> keep;
  for (const variant_facts& v : backward().variants)
    for (const buffer& b : backward().buffers_of(&v, few, inputs))
      if (b.name == "kept_sums" && b.bytes > 0) {
        keep.insert(v.name);
        EXPECT_EQ(b.reset, buffer_reset::zeros_once);
        // A number for each element of dQ, and the counts.
        EXPECT_EQ(b.bytes, 4u * 512 * 2 * 16 + 4u * 512 * 2 / 64 * 8);
        EXPECT_EQ(v.switches.word("rounding"), "last_block");
      }
  EXPECT_THAT(keep,
              UnorderedElementsAre("mma_atomic_rounded", "hopper_bulk_rounded", "hopper_persistent_rounded"));
}

TEST(WindowAttentionBackwardOperation, FindsEachGradientWrong) {
  const char* const names[] = {"dQ", "dK", "dV"};
  for (std::size_t i = 0; i < 3; ++i) {
    solved_case c;
    window_attention::deviation& found = c.found().of[i];
    found.rows_over = 1;
    found.worst = {0.5f, 0, 317, 1, 7, 0.25f, 0.375f};
    EXPECT_FALSE(c.check().ok);
    EXPECT_THAT(c.check().message,
                HasSubstr(std::string(names[i]) +
                          ": 1 of 1024 rows are off by more than 1.0e-02, at most by 5.0e-01: batch 0, row "
                          "317, head 1: element 7 is 0.375, expected 0.25"));
    EXPECT_EQ(c.check().max_error, 0.5);
    found.worst.error = std::nanf("");
    EXPECT_FALSE(c.check().ok);
    found.worst.error = 0.009f;
    EXPECT_TRUE(c.check().ok);
    EXPECT_FLOAT_EQ(static_cast<float>(c.check().max_error), 0.009f);
    EXPECT_EQ(c.check().accepted_error, 1e-2);
    found.rows -= 1;
    EXPECT_THAT(c.check().message, HasSubstr(std::string(names[i]) + ": 1023 of 1024 rows were compared"));
    found.rows += 1;
    EXPECT_TRUE(c.check().ok);
    const auto sampled = c.output<float>("sampled_gradients").subspan(i * 16 * 16);
    for (std::size_t d = 0; d < 16; ++d) sampled[d] = -sampled[d];
    EXPECT_THAT(c.check().message, HasSubstr(std::string(names[i]) + ", 16 sampled rows"));
  }
}

TEST(WindowAttentionBackwardOperation, GradientsOfZerosAreZeros) {
  solved_case c({{"scores", "zero"}});
  const auto sampled = c.output<float>("sampled_gradients");
  for (std::size_t i = 0; i < 2 * 16 * 16; ++i) ASSERT_EQ(sampled[i], 0);
  sampled[3] = 1e-20f;
  EXPECT_FALSE(c.check().ok);
}

TEST(WindowAttentionBackwardOperation, CountsFiveProducts) {
  const workload w = solved_case().work;
  EXPECT_EQ(w.work.flops, 10.0 * 512 * 256 * 2 * 16);
}

TEST(WindowAttentionBackwardOperation, RefusesWhatMakesNoWindows) {
  EXPECT_NE(backward().refuses(at({{"bucket", "192"}})), std::nullopt);
  EXPECT_NE(backward().refuses(at({{"tokens", "384"}})), std::nullopt);
  EXPECT_EQ(backward().refuses(at({})), std::nullopt);
}

std::set<std::string> variants_at(const axis_values& given) {
  std::set<std::string> names;
  for (const variant_facts& v : backward().variants)
    if (first_unmet(v.only_where, at(given)) == nullptr) names.insert(v.name);
  return names;
}

TEST(WindowAttentionBackwardOperation, OffersWaysToFindRowsWhereTheyApply) {
  for (const char* rows : {"random", "scan", "z"})
    EXPECT_THAT(variants_at({{"rows", rows}}),
                UnorderedElementsAre("hopper_gathered", "hopper_gathered_vectorized", "hopper_sorted"));
  for (const char* variant : {"mma_contiguous", "hopper_contiguous"}) {
    EXPECT_TRUE(variants_at({{"rows", "contiguous"}}).contains(variant));
    EXPECT_FALSE(variants_at({}).contains(variant));
  }
  for (const char* rows : {"buckets", "contiguous"})
    for (const char* variant :
         {"mma_two_pass", "mma_atomic", "mma_split_kv", "mma_window_per_cta", "hopper_two_pass",
          "hopper_persistent", "hopper_window_per_cta", "hopper_window_per_cta_inline_delta"})
      EXPECT_TRUE(variants_at({{"rows", rows}}).contains(variant)) << variant << ", " << rows;
}

TEST(WindowAttentionBackwardOperation, BlocksPersistWhereTwoBuffersOfKeysFit) {
  for (const char* variant :
       {"hopper_persistent", "hopper_window_per_cta", "hopper_window_per_cta_inline_delta"}) {
    EXPECT_TRUE(variants_at({{"width", "64"}}).contains(variant)) << variant;
    EXPECT_FALSE(variants_at({{"width", "128"}}).contains(variant)) << variant;
  }
  EXPECT_TRUE(variants_at({{"width", "128"}}).contains("hopper_per_shape_best"));
}

TEST(WindowAttentionBackwardOperation, RefusesWhatRowsDoNotHave) {
  EXPECT_THAT(backward().refuses(at({{"rows", "contiguous"}, {"order", "shuffled"}})).value_or(""),
              HasSubstr("rows=contiguous"));
  EXPECT_THAT(backward().refuses(at({{"rows", "scan"}, {"offset", "1"}})).value_or(""),
              HasSubstr("rows=scan"));
  EXPECT_EQ(backward().refuses(at({{"rows", "random"}})), std::nullopt);
}

TEST(WindowAttentionBackwardOperation, ArrangesScatteredRowsAheadOfTheRegion) {
  const input_library inputs(1, {}, {});
  EXPECT_FALSE(backward().has_ahead(at({}), inputs));
  EXPECT_FALSE(backward().has_ahead(at({{"rows", "contiguous"}}), inputs));
  EXPECT_TRUE(backward().has_ahead(at({{"rows", "scan"}}), inputs));
}

TEST(WindowAttentionBackwardOperation, FillsItsInputsAndHasMemoryForMovedRowsOfScatteredOnesAlone) {
  const input_library inputs(1, {}, {});
  for (const char* rows : {"buckets", "contiguous", "random", "scan", "z"}) {
    SCOPED_TRACE(rows);
    const std::vector<buffer> buffers = backward().buffers(at({{"rows", rows}}), inputs);
    const workload work = backward().prepare(at({{"rows", rows}}), inputs);
    ASSERT_EQ(work.contents.size(), buffers.size());
    const bool is_scattered = variants_at({{"rows", rows}}).contains("hopper_gathered");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].role == buffer_role::input) {
        EXPECT_EQ(work.contents[i].size(), buffers[i].bytes) << buffers[i].name;
      }
      if (buffers[i].name == "row_of_token") {
        EXPECT_EQ(buffers[i].bytes, is_scattered ? 8 * 512 : 0);
      }
      if (buffers[i].name == "moved") {
        // Eight tensors in bf16 and the log-sum-exp, at multiples of 256 bytes.
        EXPECT_EQ(buffers[i].bytes, is_scattered ? 8 * 2 * 512 * 2 * 16 + 4 * 512 * 2 : 0);
      }
    }
  }
}

TEST(WindowAttentionBackwardOperation, HasMemoryForPartsOfDqWhereVariantsKeepThemApart) {
  const auto scratch_at = [](const char* window) {
    for (const buffer& b :
         backward().buffers(at({{"tokens", "9216"}, {"window", window}}), input_library(1, {}, {})))
      if (b.name == "scratch") return b.bytes;
    throw std::logic_error("scratch");
  };
  constexpr std::size_t gradient_bytes = 4 * 9216 * 2 * 16;
  const std::size_t without = scratch_at("1152");
  EXPECT_EQ(scratch_at("1024"), without + 8 * gradient_bytes);
  EXPECT_EQ(scratch_at("128"), without + gradient_bytes);
  EXPECT_TRUE(variants_at({{"window", "1024"}}).contains("mma_split_kv"));
  EXPECT_FALSE(variants_at({{"window", "1152"}}).contains("mma_split_kv"));
}

}  // namespace
}  // namespace ablate::window_attention_backward_test
