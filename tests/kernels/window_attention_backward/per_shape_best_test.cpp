// Which form of the gradients on Hopper a shape gets.
#include "kernels/window_attention_backward/per_shape_best.h"

#include <gtest/gtest.h>

namespace ablate::window_attention_backward::per_shape_best_test {
namespace {

TEST(FormOfGradientsByShape, BlocksOwnWindowsWhereWhatTheyReadOverStaysInL2) {
  EXPECT_EQ(per_shape_best(16, 2048), form::window_per_cta);
  EXPECT_EQ(per_shape_best(32, 1024), form::window_per_cta);
  EXPECT_EQ(per_shape_best(64, 512), form::window_per_cta);
}

TEST(FormOfGradientsByShape, BlocksShareLongerWindows) {
  EXPECT_EQ(per_shape_best(16, 2048 + 512), form::private_dq);
  EXPECT_EQ(per_shape_best(32, 1024 + 512), form::reduced);
  EXPECT_EQ(per_shape_best(64, 512 + 512), form::persistent);
}

TEST(FormOfGradientsByShape, OfWidestHeadsNoBlockOwnsAWindow) {
  EXPECT_EQ(per_shape_best(128, 128), form::bulk);
  EXPECT_EQ(per_shape_best(128, 8192), form::bulk);
}

}  // namespace
}  // namespace ablate::window_attention_backward::per_shape_best_test
