// block_pooling_backward on the GPU: every variant against plain fp32 arithmetic and the fp64 oracle.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::block_pooling_backward_gpu_test {
namespace {

using bits = std::vector<std::uint16_t>;

class BlockPoolingBackwardOnGpu : public every_variant_test {
 protected:
  BlockPoolingBackwardOnGpu() : every_variant_test("block_pooling_backward") {}

  bits gradient_by(variant_run& run, const char* variant) const {
    const check_result result = run.check(test_support::named_variant(tested(), variant));
    EXPECT_TRUE(result.ok) << variant << ": " << result.message;
    return run.contents<std::uint16_t>("gradient");
  }
};

TEST_F(BlockPoolingBackwardOnGpu, EveryModeLayoutAndWhatIsGiven) {
  for (const char* mode : {"post", "pre"})
    for (const char* layout : {"split", "packed"})
      for (const char* given : {"pooled", "added", "tokens"})
        for (const char* heads : {"1", "3", "16"}) {
          SCOPED_TRACE(std::string(mode) + ", " + layout + ", " + given + ", " + heads);
          expect_right(
              {{"images", "3"}, {"heads", heads}, {"mode", mode}, {"layout", layout}, {"given", given}});
        }
}

TEST_F(BlockPoolingBackwardOnGpu, BlocksOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* mode : {"post", "pre"})
      for (const char* given : {"pooled", "added", "tokens"}) {
        SCOPED_TRACE(std::string(block) + ", " + mode + ", " + given);
        expect_right({{"images", "8"}, {"heads", "3"}, {"block", block}, {"mode", mode}, {"given", given}});
      }
}

TEST_F(BlockPoolingBackwardOnGpu, ValuesOfEveryKindWhereTheyAreNormalized) {
  for (const char* values : {"unit", "large", "offset", "nan", "minus_zero"})
    for (const char* mode : {"post", "pre"})
      for (const char* given : {"pooled", "added", "tokens"})
        for (const char* block : {"16", "64"}) {
          if (std::string(mode) == "post" && std::string(given) != "tokens") continue;
          SCOPED_TRACE(std::string(values) + ", " + mode + ", " + given + ", " + block);
          expect_right({{"images", "4"},
                        {"heads", "2"},
                        {"values", values},
                        {"mode", mode},
                        {"given", given},
                        {"block", block}});
        }
}

TEST_F(BlockPoolingBackwardOnGpu, CutBlocks) {
  for (const char* images : {"1", "2", "3", "5"})
    for (const char* layout : {"split", "packed"})
      for (const char* given : {"pooled", "added"}) {
        SCOPED_TRACE(std::string(images) + ", " + layout + ", " + given);
        expect_right(
            {{"images", images}, {"heads", "3"}, {"layout", layout}, {"given", given}, {"geometry", "vggt"}});
      }
}

TEST_F(BlockPoolingBackwardOnGpu, WhereWorkStandsLeavesTheGradients) {
  for (const char* mode : {"post", "pre"})
    for (const char* given : {"pooled", "added", "tokens"}) {
      variant_run run(tested(), {{"images", "2"}, {"heads", "3"}, {"mode", mode}, {"given", given}}, inputs_);
      const bits first = gradient_by(run, "warp_per_block");
      EXPECT_EQ(gradient_by(run, "warp_per_block"), first) << mode << ", " << given;
      EXPECT_EQ(gradient_by(run, "warp_per_tensor"), first) << mode << ", " << given;
      EXPECT_EQ(gradient_by(run, "warp_heads"), first) << mode << ", " << given;
    }
}

TEST_F(BlockPoolingBackwardOnGpu, WithoutNormsEverythingIsExact) {
  for (const char* given : {"pooled", "added"}) {
    variant_run run(tested(), {{"images", "3"}, {"heads", "3"}, {"given", given}}, inputs_);
    const bits right = gradient_by(run, "warp_per_block");
    EXPECT_EQ(gradient_by(run, "separate"), right) << given;
    EXPECT_EQ(gradient_by(run, "separate+load_bytes=16"), right) << given;
  }
}

TEST_F(BlockPoolingBackwardOnGpu, LayoutsGiveTheSameRows) {
  constexpr std::size_t tokens = 2016, heads = 3, row = 64;
  for (const char* variant : {"warp_per_block", "warp_per_tensor", "separate"}) {
    const axis_values at = {{"images", "2"}, {"heads", "3"}, {"mode", "pre"}, {"given", "tokens"}};
    axis_values packed_at = at;
    packed_at.set("layout", "packed");
    variant_run split(tested(), at, inputs_), packed(tested(), packed_at, inputs_);
    const bits of_split = gradient_by(split, variant), of_packed = gradient_by(packed, variant);
    for (std::size_t which = 0; which < 3; ++which)
      for (std::size_t head = 0; head < heads; ++head)
        for (std::size_t token = 0; token < tokens; ++token)
          for (std::size_t d = 0; d < row; ++d)
            ASSERT_EQ(of_split[((which * heads + head) * tokens + token) * row + d],
                      of_packed[((token * 3 + which) * heads + head) * row + d])
                << variant << ", tensor " << which << ", head " << head << ", token " << token;
  }
}

TEST_F(BlockPoolingBackwardOnGpu, ASpoiledElementOfEachGradientIsFoundOut) {
  for (const char* given : {"pooled", "added", "tokens"}) {
    variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"mode", "pre"}, {"given", given}}, inputs_);
    const variant_facts& v = test_support::named_variant(tested(), "warp_per_block");
    for (const std::size_t which : {0u, 1u, 2u}) {
      element_spoiler{run, v}.expect_found("gradient", ((which * 2 + 1) * 3024 + 1777) * 64 + 5,
                                           std::uint16_t{0x4000}, "row 1777, head 1: element 5");
    }
  }
}

}  // namespace
}  // namespace ablate::test_support::block_pooling_backward_gpu_test
