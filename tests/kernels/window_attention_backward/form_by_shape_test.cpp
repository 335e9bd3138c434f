// Which form of the gradients on Hopper a shape gets.
#include "kernels/window_attention_backward/form_by_shape.h"

#include <gtest/gtest.h>

namespace ablate::window_attention_backward::form_by_shape_test {
namespace {

TEST(FormOfGradientsByShape, BlocksOwnWindowsWhereWhatTheyReadOverStaysInL2) {
  EXPECT_EQ(form_by_shape(16, 2048), form::owned);
  EXPECT_EQ(form_by_shape(32, 1024), form::owned);
  EXPECT_EQ(form_by_shape(64, 512), form::owned);
}

TEST(FormOfGradientsByShape, BlocksShareLongerWindows) {
  EXPECT_EQ(form_by_shape(16, 2048 + 512), form::lone_groups);
  EXPECT_EQ(form_by_shape(32, 1024 + 512), form::reduced);
  EXPECT_EQ(form_by_shape(64, 512 + 512), form::persistent);
}

TEST(FormOfGradientsByShape, OfWidestHeadsNoBlockOwnsAWindow) {
  EXPECT_EQ(form_by_shape(128, 128), form::bulk);
  EXPECT_EQ(form_by_shape(128, 8192), form::bulk);
}

}  // namespace
}  // namespace ablate::window_attention_backward::form_by_shape_test
