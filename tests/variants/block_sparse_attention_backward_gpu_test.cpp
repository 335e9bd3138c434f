// block_sparse_attention_backward on the GPU: every variant against plain arithmetic, and whole against the
// fp64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/spoiled_element.cuh"

namespace ablate::test_support::block_sparse_attention_backward_gpu_test {
namespace {

using window_attention::bf16_of;
using window_attention::float_of_bf16;

constexpr std::size_t width = 64;
const char* const gradients[] = {"q_gradient", "k_gradient", "v_gradient"};

class BlockSparseAttentionBackwardOnGpu : public every_variant_test {
 protected:
  BlockSparseAttentionBackwardOnGpu() : every_variant_test("block_sparse_attention_backward") {}

  using all_gradients = std::array<std::vector<std::uint16_t>, 3>;
  static all_gradients contents_of(const variant_run& run) {
    return {run.contents<std::uint16_t>(gradients[0]), run.contents<std::uint16_t>(gradients[1]),
            run.contents<std::uint16_t>(gradients[2])};
  }
  static all_gradients gradients_of(variant_run& run, const variant_facts& v) {
    const check_result result = run.check(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    return contents_of(run);
  }
  const variant_facts& named(const char* name) const { return test_support::named_variant(tested(), name); }
  bool runs(const variant_facts& v) const { return v.minimum_compute_capability <= compute_capability(); }
};

TEST_F(BlockSparseAttentionBackwardOnGpu, BothRegions) {
  for (const char* images : {"8", "16"})
    for (const char* scores : {"scene", "unit", "integers", "equal"})
      for (const char* region : {"both", "backward"}) {
        SCOPED_TRACE(std::string(images) + ", " + scores + ", " + region);
        expect_right({{"images", images}, {"heads", "2"}, {"scores", scores}, {"region", region}});
      }
  // One block a query block, so that most key blocks are kept by none; and all.
  for (const char* kept : {"0", "5", "100"}) {
    SCOPED_TRACE(kept);
    expect_right({{"images", "8"}, {"heads", "3"}, {"mass", "0"}, {"kept", kept}});
  }
}

TEST_F(BlockSparseAttentionBackwardOnGpu, OfAllBlocksGradientsAreThoseOfDenseAttention) {
  const axis_values dense = {{"images", "8"}, {"heads", "2"}},
                    all = {{"images", "8"}, {"heads", "2"}, {"kept", "100"}};
  const operation& attention = *find_operation("dense_attention_backward");
  variant_run of_dense(attention, dense, inputs_);
  const all_gradients expected = gradients_of(of_dense, test_support::named_variant(attention, "mma"));
  expect_right(all, [&](const variant_facts& v, variant_run& run) {
    const all_gradients seen = contents_of(run);
    for (std::size_t which = 0; which < 3; ++which)
      for (std::size_t i = 0; i < seen[which].size(); ++i)
        ASSERT_NEAR(float_of_bf16(seen[which][i]), float_of_bf16(expected[which][i]),
                    0.02 * (1 + std::abs(float_of_bf16(expected[which][i]))))
            << v.name << ", " << gradients[which] << ", row " << i / width;
  });
}

TEST_F(BlockSparseAttentionBackwardOnGpu, AKeyBlockThatIsKeptByNoneHasNoGradient) {
  for (const char* name : {"mma", "hopper"}) {
    const variant_facts& v = named(name);
    if (!runs(v)) continue;
    variant_run run(tested(), {{"images", "8"}, {"heads", "1"}, {"mass", "0"}, {"kept", "0"}}, inputs_);
    const all_gradients seen = gradients_of(run, v);
    const auto counts = run.contents<std::int32_t>("turned_counts");
    std::size_t none = 0;
    for (std::size_t block = 0; block < counts.size(); ++block) {
      if (counts[block] > 0) continue;
      ++none;
      for (std::size_t i = block * 64 * width; i < (block + 1) * 64 * width; ++i)
        ASSERT_TRUE(float_of_bf16(seen[1][i]) == 0 && float_of_bf16(seen[2][i]) == 0) << name << ", " << i;
    }
    EXPECT_GT(none, 10u) << name;
  }
}

TEST_F(BlockSparseAttentionBackwardOnGpu, GradientsAreTheSameEachTime) {
  for (const char* name : {"mma", "hopper"}) {
    const variant_facts& v = named(name);
    if (!runs(v)) continue;
    variant_run run(tested(), {{"images", "8"}, {"heads", "2"}}, inputs_);
    const all_gradients first = gradients_of(run, v);
    for (int time = 0; time < 3; ++time) EXPECT_EQ(gradients_of(run, v), first) << name;
  }
}

TEST_F(BlockSparseAttentionBackwardOnGpu, ASpoiledGradientIsFoundOut) {
  variant_run run(tested(), {{"images", "8"}, {"heads", "2"}}, inputs_);
  const element_spoiler spoiled{run, named("mma")};
  using ::std::string;
  constexpr std::uint16_t sign_and_more = 0xc000;
  EXPECT_NE(spoiled("q_gradient", (8064 + 8063) * width + 5, sign_and_more).find("dQ"), string::npos);
  EXPECT_NE(spoiled("k_gradient", (8064 + 4033) * width + 63, sign_and_more).find("row 4033, head 1"),
            string::npos);
  EXPECT_NE(spoiled("v_gradient", 77 * width, sign_and_more).find("row 77, head 0"), string::npos);
  EXPECT_NE(spoiled("turned", 126 * 2 * 2 - 1, std::uint32_t{1} << 30).find("bits turned around: 1"),
            string::npos);
  EXPECT_NE(spoiled("turned_counts", 5, std::int32_t{1}).find("bits turned around: 1"), string::npos);
}

}  // namespace
}  // namespace ablate::test_support::block_sparse_attention_backward_gpu_test
