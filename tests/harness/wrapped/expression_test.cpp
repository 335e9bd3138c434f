#include "harness/wrapped/expression.h"
#include "tests/support/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ablate::wrapped {
namespace {

using testing::HasSubstr;

const std::vector<std::string> axes = {"rows", "columns"};
const axis_values at = {{"rows", "1000"}, {"columns", "7"}};

std::int64_t value(const std::string& text) { return expression(text, axes).at(at); }

std::string refusal(const std::string& text) {
  return test_support::refusal_from<expression_error>([&] { value(text); });
}

TEST(WrappedExpression, ComputesAsCDoes) {
  EXPECT_EQ(value("42"), 42);
  EXPECT_EQ(value("rows * columns + 2 * 3"), 7006);
  EXPECT_EQ(value("(rows + 2) * 3"), 3006);
  EXPECT_EQ(value("rows - 10 - 1"), 989);
  EXPECT_EQ(value("rows / 3 % 10"), 3);
  EXPECT_EQ(value("-rows + 1"), -999);
  EXPECT_EQ(value("max(min(rows, 5), columns)"), 7);
}

TEST(WrappedExpression, RoundsUpOnlyWhereAskedTo) {
  EXPECT_EQ(value("ceil_div(rows, 256)"), 4);
  EXPECT_EQ(value("ceil_div(rows, 250)"), 4);
  EXPECT_EQ(value("rows / 256"), 3);
  EXPECT_EQ(value("ceil_div(0 - 7, 2)"), -3);
}

TEST(WrappedExpression, RefusesWhatIsNone) {
  EXPECT_THAT(refusal("rows +"), HasSubstr("column 7: expected a number, the name of an axis or '('"));
  EXPECT_THAT(refusal("rows 2"), HasSubstr("column 6: expected an operator or the end"));
  EXPECT_THAT(refusal("row"), HasSubstr("did you mean 'rows'?"));
  EXPECT_THAT(refusal("min(rows)"), HasSubstr("expected ','"));
  EXPECT_THAT(refusal(""), HasSubstr("column 1"));
  EXPECT_THAT(refusal("99999999999999999999"), HasSubstr("63 bits"));
  EXPECT_THAT(refusal(std::string(100, '(')), HasSubstr("64 levels"));
}

TEST(WrappedExpression, HasNoValueWhereArithmeticHasNone) {
  EXPECT_THAT(refusal("rows / (columns - 7)"), HasSubstr("division by zero"));
  EXPECT_THAT(refusal("rows * 9223372036854775807"), HasSubstr("beyond 63 bits"));
}

TEST(WrappedExpression, TakesAMillionTerms) {
  constexpr int terms = 1'000'000;
  std::string text = "1";
  for (int i = 1; i < terms; ++i) text += "+1";
  EXPECT_EQ(value(text), terms);
}

}  // namespace
}  // namespace ablate::wrapped
