#include "reports/predict/interval.h"

#include <gtest/gtest.h>

namespace ablate::predict {
namespace {

TEST(PredictInterval, EachOperationHasTheSameWeight) {
  std::vector<held_out_error> errors;
  for (int i = 0; i < 1000; ++i) errors.push_back({"many", 0.01, 0});
  errors.push_back({"one", 0.2, 0});
  EXPECT_DOUBLE_EQ(quantile_of(errors), 0.2 / scale_of(0));
}

TEST(PredictInterval, AnOperationsOwnErrorsDoNotMakeItsInterval) {
  const std::vector<held_out_error> errors = {{"a", 0.5, 0}, {"b", 0.02, 0}, {"c", -0.04, 0}};
  EXPECT_DOUBLE_EQ(quantile_of(errors, "a"), 0.04 / scale_of(0));
  EXPECT_DOUBLE_EQ(quantile_of(errors, "b"), 0.5 / scale_of(0));
}

TEST(PredictInterval, WhatMovesFurtherIsLessSure) {
  EXPECT_DOUBLE_EQ(scale_of(0), 0.02);
  EXPECT_DOUBLE_EQ(scale_of(-0.4), 0.22);
  // Errors in proportion to that make one quantile.
  EXPECT_DOUBLE_EQ(quantile_of({{"a", 0.04, 0}, {"b", 0.44, 0.4}}), 2);
}

}  // namespace
}  // namespace ablate::predict
