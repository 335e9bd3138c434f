// linear on the GPU: every variant against plain fp64 arithmetic and the oracle. Where there is no cuBLASLt,
// its variants say so.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::linear_gpu_test {
namespace {

class LinearOnGpu : public every_variant_test {
 protected:
  LinearOnGpu() : every_variant_test("linear") {}

  void expect_all_right(const axis_values& given) const {
    expect_right_or_without([](const variant_facts& v) { return v.name.starts_with("cublaslt"); }, given);
  }
};

TEST_F(LinearOnGpu, EveryShapeAndWidth) {
  for (const char* shape : {"qkv", "square", "expand", "contract", "double"})
    for (const char* channels : {"32", "64", "128", "256", "512"})
      for (const char* rows : {"1", "1000"}) {
        SCOPED_TRACE(std::string(shape) + ", " + channels + ", " + rows);
        expect_all_right({{"shape", shape}, {"channels", channels}, {"rows", rows}});
      }
}

TEST_F(LinearOnGpu, ManyTilesOfRowsABlock) {
  for (const char* channels : {"64", "128", "256", "512"})
    for (const char* epilogue : {"bias", "residual", "gelu_tanh"})
      for (const char* prologue : {"none", "norm"}) {
        SCOPED_TRACE(std::string(channels) + ", " + epilogue + ", " + prologue);
        expect_all_right({{"shape", "qkv"},
                          {"channels", channels},
                          {"rows", "70001"},
                          {"epilogue", epilogue},
                          {"prologue", prologue}});
      }
}

TEST_F(LinearOnGpu, EveryEpilogueBehindRowsAndTheirNorms) {
  for (const char* epilogue : {"bias", "residual", "gelu_erf", "gelu_tanh", "swiglu"})
    for (const char* prologue : {"none", "norm"})
      for (const char* channels : {"32", "128", "512"}) {
        SCOPED_TRACE(std::string(epilogue) + ", " + prologue + ", " + channels);
        expect_all_right({{"shape", "expand_gated"},
                          {"rows", "777"},
                          {"epilogue", epilogue},
                          {"prologue", prologue},
                          {"channels", channels}});
      }
}

TEST_F(LinearOnGpu, SplitOutputs) {
  for (const char* channels : {"32", "64", "512"})
    for (const char* prologue : {"none", "norm"})
      expect_all_right({{"shape", "qkv"},
                        {"output", "split"},
                        {"rows", "500"},
                        {"channels", channels},
                        {"prologue", prologue}});
}

TEST_F(LinearOnGpu, GradientsOfFewRowsAndOfMany) {
  for (const char* shape : {"qkv", "square", "contract"})
    for (const char* channels : {"32", "64", "256"})
      for (const char* rows : {"1", "33", "20000"}) {
        SCOPED_TRACE(std::string(shape) + ", " + channels + ", " + rows);
        expect_all_right({{"shape", shape}, {"channels", channels}, {"rows", rows}, {"region", "all"}});
        expect_all_right(
            {{"shape", shape}, {"channels", channels}, {"rows", rows}, {"region", "input_gradient"}});
      }
}

TEST_F(LinearOnGpu, TheSameBitsEveryRun) {
  variant_run run(tested(), {{"rows", "20000"}, {"region", "weight_gradient"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "own_mma");
  ASSERT_TRUE(run.check(v).ok);
  const auto first = run.contents<float>("weight_gradient");
  ASSERT_TRUE(run.check(v).ok);
  EXPECT_EQ(run.contents<float>("weight_gradient"), first);
}

TEST_F(LinearOnGpu, ASpoiledElementIsFoundOut) {
  variant_run run(tested(), {{"rows", "1000"}, {"channels", "64"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "own_mma");
  const std::string said = element_spoiler{run, v}("y", 777 * 192 + 100, std::uint16_t{0x4000});
  EXPECT_NE(said.find("y: 1 of 192000 elements"), std::string::npos) << said;
  EXPECT_NE(said.find("row 777, column 100"), std::string::npos) << said;
}

}  // namespace
}  // namespace ablate::test_support::linear_gpu_test
