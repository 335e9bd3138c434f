// row_norm on the GPU: every variant against plain fp64 arithmetic and the oracle.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::row_norm_gpu_test {
namespace {

class RowNormOnGpu : public every_variant_test {
 protected:
  RowNormOnGpu() : every_variant_test("row_norm") {}
};

TEST_F(RowNormOnGpu, LayerNormsOfEveryWidthForwardAndBackward) {
  for (const char* kind : {"layer", "residual_layer"})
    for (const char* channels : {"32", "64", "128", "256", "512", "1024"})
      for (const char* rows : {"1", "333"})
        for (const char* region : {"forward", "backward"}) {
          SCOPED_TRACE(std::string(kind) + ", " + channels + ", " + rows + ", " + region);
          expect_right({{"kind", kind}, {"channels", channels}, {"rows", rows}, {"region", region}});
        }
}

TEST_F(RowNormOnGpu, DroppedRowsPaddingAndValuesFarFromZero) {
  for (const char* values : {"unit", "offset"})
    for (const char* region : {"forward", "backward"}) {
      SCOPED_TRACE(std::string(values) + ", " + region);
      expect_right({{"kind", "residual_layer"},
                    {"rows", "5000"},
                    {"drop", "0.3"},
                    {"padding", "sixteenth"},
                    {"values", values},
                    {"region", region}});
    }
}

TEST_F(RowNormOnGpu, BatchNormsOfEveryWidthForwardAndBackward) {
  for (const char* channels : {"32", "64", "128", "256", "512", "1024"})
    for (const char* rows : {"1", "5000"})
      for (const char* act : {"none", "gelu"})
        for (const char* values : {"unit", "offset"}) {
          SCOPED_TRACE(std::string(channels) + ", " + rows + ", " + act + ", " + values);
          const auto with = [&](const char* kind, const char* region) {
            return axis_values{
                {"kind", kind},     {"channels", channels}, {"rows", rows},          {"act", act},
                {"values", values}, {"region", region},     {"padding", "sixteenth"}};
          };
          expect_right(with("batch_inference", "forward"));
          expect_right(with("batch_training", "forward"));
          expect_right(with("batch_training", "backward"));
        }
}

TEST_F(RowNormOnGpu, RowsAreCopiedWhole) {
  for (const char* channels : {"32", "512", "1024"})
    for (const char* rows : {"1", "333", "5000"})
      expect_right({{"kind", "copy"}, {"channels", channels}, {"rows", rows}, {"padding", "sixteenth"}});
}

TEST_F(RowNormOnGpu, TheSameBitsEveryRun) {
  for (const char* kind : {"layer", "batch_training"}) {
    variant_run run(tested(), {{"kind", kind}, {"rows", "20000"}, {"region", "backward"}}, inputs_);
    const variant_facts& v = test_support::named_variant(tested(), "one_row");
    ASSERT_TRUE(run.check(v).ok);
    const auto first = run.contents<float>("parameter_gradients");
    ASSERT_TRUE(run.check(v).ok);
    EXPECT_EQ(run.contents<float>("parameter_gradients"), first) << kind;
  }
}

TEST_F(RowNormOnGpu, ASpoiledElementIsFoundOut) {
  variant_run run(tested(), {{"kind", "residual_layer"}, {"rows", "1000"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "one_row");
  const std::string said = element_spoiler{run, v}("out", 777 * 64 + 5, std::uint16_t{2});
  EXPECT_NE(said.find("out: 1 of 64000 elements"), std::string::npos) << said;
  EXPECT_NE(said.find("row 777, column 5"), std::string::npos) << said;
}

}  // namespace
}  // namespace ablate::test_support::row_norm_gpu_test
