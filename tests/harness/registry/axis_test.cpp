#include "harness/registry/axis.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ablate::axis_test {
namespace {

TEST(Axis, TakesItsWordsItsRangeAndPointFiles) {
  axis a = axis::of_integers("points", 1, 10, 5, "points");
  a.words = {"all"};
  a.takes_point_files = true;
  for (const char* legal : {"1", "10", "all", "street"})
    EXPECT_EQ(a.refuses(legal, {"street"}), std::nullopt) << legal;
  EXPECT_EQ(a.refuses("11", {"street"}),
            "'11' is no value of axis 'points': expected an integer from 1 to 10, 'all', 'street'");
  for (const char* illegal : {"0", "", "1x", " 1", "99999999999999999999"})
    EXPECT_TRUE(a.refuses(illegal, {})) << illegal;
}

TEST(Axis, AllIsASpellingOfTheIntegerThatMeansIt) {
  const axis a = axis::of_integers("points", 0, 10, 5, "points").with_all(0);
  EXPECT_EQ(a.canonical("all"), "0");
  EXPECT_EQ(a.canonical("007"), "7");
  EXPECT_EQ(a.canonical("street"), "street");
  EXPECT_EQ(a.refuses("street", {}),
            "'street' is no value of axis 'points': expected an integer from 0 to 10, 'all'");
  const axis without = axis::of_integers("grid", 0, 10, 5, "cells");
  EXPECT_EQ(without.canonical("all"), "all");
  EXPECT_TRUE(without.refuses("all", {}));
}

TEST(Axis, OfWordsTakesNoNumberAndNoPointFile) {
  const axis a = axis::of_words("mode", {"int", "float"}, "type");
  EXPECT_EQ(a.default_value, "int");
  EXPECT_TRUE(a.refuses("1", {}));
  EXPECT_TRUE(a.refuses("street", {"street"}));
}

TEST(Axis, OfNumbersHasOneSpellingOfEachValue) {
  const axis a = axis::of_numbers("mass", 0, 2.5, 0.50, "share");
  EXPECT_EQ(a.default_value, "0.5");
  for (const char* half : {"0.5", "0.50", ".5", "5e-1", "00.5"}) EXPECT_EQ(a.canonical(half), "0.5") << half;
  EXPECT_EQ(a.canonical("-0.0"), "0");
  EXPECT_EQ(a.canonical("1.0"), "1");
  EXPECT_EQ(a.canonical("0.1000000000000000055"), "0.1");
  for (const char* other : {"5.", "nan", "inf", "+1", "0x1", "1e999", "", "half"}) {
    EXPECT_EQ(a.canonical(other), other);
    EXPECT_TRUE(a.refuses(other, {})) << other;
  }
  for (const char* legal : {"0", "2.5", "1e-07"}) EXPECT_EQ(a.refuses(legal, {}), std::nullopt) << legal;
  for (const char* beyond : {"2.6", "-0.1"}) EXPECT_TRUE(a.refuses(beyond, {})) << beyond;
}

TEST(AxisValues, KeepTheirOrderAndReadAsWordsAndIntegers) {
  axis_values values = {{"points", "12"}, {"mode", "int"}};
  values.set("points", "13");
  values.set("grid", "4");
  EXPECT_EQ(values.word("mode"), "int");
  EXPECT_EQ(values.integer("points"), 13);
  EXPECT_EQ(values.begin()->first, "points");
  EXPECT_THROW(values.word("hash"), std::out_of_range);
  EXPECT_THROW(values.integer("mode"), std::invalid_argument);
}

TEST(AxisConditions, NameTheFirstThatIsNotMet) {
  const axis_conditions conditions = {{"region", {"pipeline", "kernels"}}, {"mode", {"strict"}}};
  EXPECT_EQ(first_unmet(conditions, {{"mode", "strict"}, {"region", "kernels"}}), nullptr);
  EXPECT_EQ(first_unmet(conditions, {{"mode", "loose"}, {"region", "pipeline"}}), &conditions[1]);
  EXPECT_EQ(first_unmet(conditions, {{"mode", "loose"}, {"region", "insert"}}), &conditions[0]);
  EXPECT_EQ(first_unmet({}, {}), nullptr);
  EXPECT_THROW(first_unmet(conditions, {{"mode", "strict"}}), std::out_of_range);
}

}  // namespace
}  // namespace ablate::axis_test
