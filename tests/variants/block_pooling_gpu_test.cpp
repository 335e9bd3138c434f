// block_pooling on the GPU: every variant against plain fp32 arithmetic and the fp64 oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::block_pooling_gpu_test {
namespace {

using bits = std::vector<std::uint16_t>;

class BlockPoolingOnGpu : public every_variant_test {
 protected:
  BlockPoolingOnGpu() : every_variant_test("block_pooling") {}

  bits pooled_by(variant_run& run, const char* variant) const {
    const variant_facts& v = test_support::named_variant(tested(), variant);
    EXPECT_TRUE(run.check(v).ok) << variant;
    return run.contents<std::uint16_t>("pooled");
  }
};

TEST_F(BlockPoolingOnGpu, EveryModeLayoutAndOutput) {
  for (const char* mode : {"post", "pre"})
    for (const char* layout : {"split", "packed"})
      for (const char* output : {"pooled", "tokens"})
        for (const char* heads : {"1", "3", "16"}) {
          SCOPED_TRACE(std::string(mode) + ", " + layout + ", " + output + ", " + heads);
          expect_right(
              {{"images", "3"}, {"heads", heads}, {"mode", mode}, {"layout", layout}, {"output", output}});
        }
}

TEST_F(BlockPoolingOnGpu, BlocksOfEverySize) {
  for (const char* block : {"16", "32", "64", "128"})
    for (const char* mode : {"post", "pre"})
      for (const char* output : {"pooled", "tokens"}) {
        SCOPED_TRACE(std::string(block) + ", " + mode + ", " + output);
        expect_right({{"images", "8"}, {"heads", "3"}, {"block", block}, {"mode", mode}, {"output", output}});
      }
}

TEST_F(BlockPoolingOnGpu, ValuesOfEveryKind) {
  for (const char* values : {"unit", "large", "offset", "nan", "minus_zero"})
    for (const char* mode : {"post", "pre"})
      for (const char* output : {"pooled", "tokens"})
        for (const char* block : {"16", "64"}) {
          SCOPED_TRACE(std::string(values) + ", " + mode + ", " + output + ", " + block);
          expect_right({{"images", "4"},
                        {"heads", "2"},
                        {"values", values},
                        {"mode", mode},
                        {"output", output},
                        {"block", block}});
        }
}

TEST_F(BlockPoolingOnGpu, CutBlocks) {
  for (const char* images : {"1", "2", "3", "5"})
    for (const char* layout : {"split", "packed"})
      for (const char* values : {"unit", "large", "nan"}) {
        SCOPED_TRACE(std::string(images) + ", " + layout + ", " + values);
        expect_right({{"images", images},
                      {"heads", "3"},
                      {"layout", layout},
                      {"values", values},
                      {"geometry", "vggt"}});
      }
}

TEST_F(BlockPoolingOnGpu, OneHeadOfOneImage) {
  expect_right({{"images", "1"}, {"heads", "1"}, {"mode", "pre"}, {"output", "tokens"}});
}

TEST_F(BlockPoolingOnGpu, LayoutsGiveTheSameRows) {
  for (const char* variant : {"vec16", "warp_per_block", "separate"}) {
    variant_run split(tested(), {{"images", "2"}, {"heads", "3"}, {"mode", "pre"}}, inputs_);
    variant_run packed(tested(), {{"images", "2"}, {"heads", "3"}, {"mode", "pre"}, {"layout", "packed"}},
                       inputs_);
    EXPECT_EQ(pooled_by(split, variant), pooled_by(packed, variant)) << variant;
  }
}

TEST_F(BlockPoolingOnGpu, WhereWorkStandsLeavesTheRows) {
  for (const char* mode : {"post", "pre"}) {
    variant_run run(tested(), {{"images", "2"}, {"heads", "3"}, {"mode", mode}}, inputs_);
    EXPECT_EQ(pooled_by(run, "vec16"), pooled_by(run, "vec16+neighbors=heads"));
    EXPECT_EQ(pooled_by(run, "vec16"), pooled_by(run, "vec16+loads_in_flight=4"));
    EXPECT_EQ(pooled_by(run, "warp_per_block"), pooled_by(run, "warp_heads"));
    EXPECT_EQ(pooled_by(run, "warp_per_block"), pooled_by(run, "warp_4_loads"));
  }
}

TEST_F(BlockPoolingOnGpu, RowsThatAreConstantStayWhatTheyAre) {
  variant_run run(tested(), {{"images", "2"}, {"heads", "2"}}, inputs_);
  auto inputs = run.contents<std::uint16_t>("qkv");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = window_attention::bf16_of(static_cast<float>(i % 64) - 31.5f);
  run.put("qkv", inputs);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    run.check(v);
    const bits pooled = run.contents<std::uint16_t>("pooled");
    for (std::size_t i = 0; i < pooled.size(); ++i)
      ASSERT_EQ(pooled[i], inputs[i % 64]) << v.name << " " << i;
  }
}

TEST_F(BlockPoolingOnGpu, ASpoiledElementIsFoundOut) {
  for (const char* mode : {"post", "pre"}) {
    variant_run run(tested(), {{"images", "3"}, {"heads", "2"}, {"mode", mode}, {"output", "tokens"}},
                    inputs_);
    const variant_facts& v = test_support::named_variant(tested(), "warp_per_block");
    // k, head 1, block 77
    const std::string said =
        element_spoiler{run, v}("pooled", (2 * 189 + 189 + 77) * 64 + 5, std::uint16_t{0x4000});
    EXPECT_NE(said.find("pooled k"), std::string::npos) << said;
    EXPECT_NE(said.find("row 77, head 1: element 5"), std::string::npos) << said;
    ASSERT_TRUE(run.check(v).ok);
    auto tokens = run.contents<std::uint16_t>("of_tokens");
    tokens.back() ^= 1;  // a copy of v
    run.put("of_tokens", tokens);
    EXPECT_NE(run.check_outputs(v).message.find("v of tokens"), std::string::npos);
  }
}

}  // namespace
}  // namespace ablate::test_support::block_pooling_gpu_test
