// Which form of the gradients on Hopper a shape gets.
#include "kernels/window_attention_backward/form_by_shape.h"

#include <gtest/gtest.h>

namespace ablate::window_attention_backward::form_by_shape_test {
namespace {

TEST(FormOfGradientsByShape, BlocksOwnWindowsWhereWhatTheyReadOverStaysInL2) {
  for (const int window : {512, 1024}) {
    EXPECT_EQ(form_by_shape(16, window), form::owned);
    EXPECT_EQ(form_by_shape(32, window), form::owned);
    EXPECT_EQ(form_by_shape(64, window), form::persistent);
    EXPECT_EQ(form_by_shape(128, window), form::bulk);
  }
  EXPECT_EQ(form_by_shape(16, 4096), form::owned);
  EXPECT_EQ(form_by_shape(16, 8192), form::persistent);
  EXPECT_EQ(form_by_shape(32, 4096), form::reduced);
  EXPECT_EQ(form_by_shape(128, 4096), form::bulk);
}

}  // namespace
}  // namespace ablate::window_attention_backward::form_by_shape_test
