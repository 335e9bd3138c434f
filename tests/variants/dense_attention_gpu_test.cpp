// dense_attention on the GPU: every variant against plain arithmetic and the fp64 oracle.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"

namespace ablate::test_support::dense_attention_gpu_test {
namespace {

constexpr std::size_t width = 64;

class DenseAttentionOnGpu : public every_variant_test {
 protected:
  DenseAttentionOnGpu() : every_variant_test("dense_attention") {}
};

TEST_F(DenseAttentionOnGpu, OfAllRowsAndOfAPart) {
  for (const char* images : {"1", "3", "12"})
    for (const char* rows : {"all", "one_in_32"}) {
      SCOPED_TRACE(std::string(images) + ", " + rows);
      expect_right({{"images", images}, {"heads", "2"}, {"rows", rows}});
    }
  expect_right({{"images", "4"}, {"heads", "2"}, {"scores", "ascending"}});
}

TEST_F(DenseAttentionOnGpu, RowsBeyondTheOnesThatAttendStayUntouched) {
  variant_run run(tested(), {{"images", "9"}, {"heads", "1"}, {"rows", "one_in_32"}}, inputs_);
  ASSERT_TRUE(run.check(test_support::named_variant(tested(), "mma")).ok);
  const auto out = run.contents<std::uint16_t>("out");
  // 384 of 9072 rows, from row 4224 on.
  const std::uint16_t poison = out[0];
  for (const std::size_t row : {0ul, 4223ul, 4608ul, 9071ul})
    for (std::size_t d = 0; d < width; ++d) ASSERT_EQ(out[row * width + d], poison) << row;
  EXPECT_NE(out[4224 * width], poison);
  EXPECT_NE(out[4607 * width], poison);
}

TEST_F(DenseAttentionOnGpu, SpecialTokensAreTokens) {
  expect_right({{"images", "3"}, {"heads", "2"}, {"geometry", "vggt"}});
}

}  // namespace
}  // namespace ablate::test_support::dense_attention_gpu_test
