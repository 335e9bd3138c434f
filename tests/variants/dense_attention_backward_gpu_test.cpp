// dense_attention_backward on the GPU: every variant against plain arithmetic, and whole against the fp64
// oracle; and the whole as one CUDA graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"

namespace ablate::test_support::dense_attention_backward_gpu_test {
namespace {

using window_attention::bf16_of;

const char* const gradients[] = {"q_gradient", "k_gradient", "v_gradient"};

class DenseAttentionBackwardOnGpu : public every_variant_test {
 protected:
  DenseAttentionBackwardOnGpu() : every_variant_test("dense_attention_backward") {}

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
};

TEST_F(DenseAttentionBackwardOnGpu, BothRegions) {
  for (const char* images : {"8", "16"})
    for (const char* region : {"both", "backward"})
      for (const char* scores : {"scene", "unit"}) {
        SCOPED_TRACE(std::string(images) + ", " + region + ", " + scores);
        expect_right({{"images", images}, {"heads", "2"}, {"region", region}, {"scores", scores}});
      }
}

TEST_F(DenseAttentionBackwardOnGpu, TheWholeIsOneGraph) {
  const axis_values at = values_of(tested(), {{"images", "8"}, {"heads", "4"}});
  variant_run run(tested(), at, inputs_);
  for (const variant_facts& v : tested().variants) {
    if (!run.applies(v)) continue;
    const all_gradients right = gradients_of(run, v);
    for (const char* gradient : gradients) {
      auto spoiled = run.contents<std::uint16_t>(gradient);
      std::ranges::fill(spoiled, bf16_of(100));
      run.put(gradient, spoiled);
    }
    run.launch_as_graph(v);
    const check_result result = run.check_outputs(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    if (v.same_bits) {
      EXPECT_EQ(contents_of(run), right) << v.name;
    }
  }
}

}  // namespace
}  // namespace ablate::test_support::dense_attention_backward_gpu_test
