// mlp on the GPU: every variant against plain fp64 arithmetic and the oracle. Where there is no cuBLASLt, its
// variant says so.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::mlp_gpu_test {
namespace {

class MlpOnGpu : public every_variant_test {
 protected:
  MlpOnGpu() : every_variant_test("mlp") {}

  void expect_all_right(const std::string& kind, const std::string& channels, const std::string& rows,
                        const std::string& region) const {
    SCOPED_TRACE(kind + ", " + channels + ", " + rows + ", " + region);
    expect_right_or_without([](const variant_facts& v) { return v.name.starts_with("library"); },
                            {{"kind", kind}, {"channels", channels}, {"rows", rows}, {"region", region}});
  }
};

TEST_F(MlpOnGpu, EveryKindAndWidthOfFewRowsAndOfMany) {
  for (const char* kind : {"gelu", "swiglu"})
    for (const char* channels : {"32", "64", "128", "256", "512"})
      for (const char* rows : {"1", "64", "65", "1300"})
        for (const char* region : {"forward", "backward"}) expect_all_right(kind, channels, rows, region);
}

TEST_F(MlpOnGpu, BlocksOfOneTwoAndThreeGroupsOfRowsAndMoreThanOneWave) {
  for (const char* kind : {"gelu", "swiglu"})
    for (const char* channels : {"64", "128"})
      for (const char* rows : {"4097", "12000", "24576", "60001"})
        expect_all_right(kind, channels, rows, "forward");
}

TEST_F(MlpOnGpu, GradientsOfMoreRowsThanBlocksStartWith) {
  for (const char* kind : {"gelu", "swiglu"})
    for (const char* channels : {"32", "128"})
      for (const char* rows : {"12700", "60001"}) expect_all_right(kind, channels, rows, "backward");
}

TEST_F(MlpOnGpu, ASpoiledElementIsFoundOut) {
  variant_run run(tested(), {{"rows", "1000"}, {"channels", "64"}}, inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "fused_mma");
  element_spoiler{run, v}.expect_found("y", 777 * 64 + 10, std::uint16_t{0x4000}, "row 777, column 10");
}

}  // namespace
}  // namespace ablate::test_support::mlp_gpu_test
