// Attention of all kinds declares an exponential for each score.
#include <gtest/gtest.h>

#include "harness/inputs/input_library.h"
#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"

namespace ablate::exponentials_test {
namespace {

work_model work_of(const char* name, const axis_values& given) {
  const operation& of = *find_operation(name);
  return of.prepare(test_support::values_of(of, given), input_library(1, {}, {})).work;
}

TEST(Exponentials, AreOneForTheProductsOfAScore) {
  struct row {
    const char* operation;
    axis_values at;
    double flops;  ///< for each score
  };
  const axis_values windows = {
      {"tokens", "512"}, {"window", "256"}, {"bucket", "128"}, {"heads", "2"}, {"width", "16"}};
  const axis_values images = {{"images", "2"}, {"heads", "2"}};
  for (const auto& [name, at, flops] :
       {row{"window_attention", windows, 4 * 16}, row{"window_attention_backward", windows, 10 * 16},
        row{"dense_attention", images, 4 * 64}, row{"selection_attention", images, 4 * 64},
        row{"selection_attention_backward", images, 10 * 64}, row{"compression_attention", images, 4 * 64},
        row{"compression_attention_backward", {{"images", "4"}, {"heads", "2"}}, 10 * 64},
        row{"pooled_key_attention", {{"images", "3"}, {"heads", "2"}}, 4 * 64},
        row{"gated_attention", images, 4 * 64}}) {
    const work_model work = work_of(name, at);
    EXPECT_GT(work.exponentials, 0) << name;
    EXPECT_DOUBLE_EQ(work.flops / work.exponentials, flops) << name;
  }
}

TEST(Exponentials, OfTokensThatAreChosenFirstCountNoChoice) {
  for (const char* name : {"block_sparse_attention", "merged_attention"}) {
    const work_model work = work_of(name, {{"images", "3"}, {"heads", "2"}});
    EXPECT_GT(work.exponentials, 0) << name;
    EXPECT_GE(work.flops, 4 * 64 * work.exponentials) << name;
  }
}

TEST(Exponentials, OfTrainingAreComputedOnce) {
  const axis_values at = {{"images", "8"}, {"heads", "1"}};
  EXPECT_EQ(work_of("dense_attention_backward", at).exponentials,
            work_of("dense_attention", at).exponentials);
}

}  // namespace
}  // namespace ablate::exponentials_test
