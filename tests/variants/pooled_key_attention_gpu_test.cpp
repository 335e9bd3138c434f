// pooled_key_attention on the GPU: every variant part by part against plain arithmetic, and whole against the
// oracle.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/axis_values.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::pooled_key_attention_gpu_test {
namespace {

constexpr std::size_t width = 64;

class PooledKeyAttentionOnGpu : public every_variant_test {
 protected:
  PooledKeyAttentionOnGpu() : every_variant_test("pooled_key_attention") {}

  static axis_values layer(const axis_values& more) { return with({{"heads", "2"}}, more); }
};

TEST_F(PooledKeyAttentionOnGpu, ImagesOfEveryNumberInBothGeometries) {
  for (const char* images : {"1", "2", "3", "8", "33"})
    for (const char* geometry : {"s3r", "vggt"}) {
      SCOPED_TRACE(std::string(images) + ", " + geometry);
      expect_right(layer({{"images", images}, {"geometry", geometry}}));
      expect_right(layer({{"images", images}, {"geometry", geometry}, {"region", "ahead"}}));
    }
  for (const char* scores : {"plane", "unit", "integers", "ascending", "equal"})
    expect_right(layer({{"images", "4"}, {"scores", scores}}));
  for (const char* block : {"32", "64", "128"})
    expect_right(layer({{"images", "8"}, {"block", block}, {"heads", "3"}}));
}

TEST_F(PooledKeyAttentionOnGpu, ASpoiledPartIsFoundOut) {
  variant_run run(tested(), layer({{"images", "3"}, {"geometry", "vggt"}}), inputs_);
  const variant_facts& v = test_support::named_variant(tested(), "mma");
  const element_spoiler spoiled{run, v};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  // A head has 210 means and 15 special tokens.
  EXPECT_NE(spoiled("pooled_k", (225 + 209) * width + 5, sign_and_more).find("means of k: 1 of 420"),
            string::npos);
  EXPECT_NE(spoiled("pooled_v", (225 + 224) * width + 63, sign_and_more).find("special tokens of v: 1 of 30"),
            string::npos);
  EXPECT_NE(spoiled("out", (3123 + 3122) * width + 5, std::uint16_t{0x4000}).find("row 3122, head 1"),
            string::npos);
}

}  // namespace
}  // namespace ablate::test_support::pooled_key_attention_gpu_test
