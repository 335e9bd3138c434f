// Which bits a variant's sort looks at.
#include "kernels/serialize/sort_plan.h"

#include <gtest/gtest.h>

namespace ablate::serialize::sort_plan_test {
namespace {

sort_plan plan(const problem& p, const char* bits, const char* sorts, const char* items) {
  return {p, switches{{"sort_bits", bits}, {"sorts", sorts}, {"sort_items", items}}};
}

problem with(int depth, int instances, std::int64_t points, int curves = 1) {
  problem p;
  p.depth = depth;
  p.instances = instances;
  p.points = points;
  p.curves = curves;
  return p;
}

void expect_bits(const sort_plan& found, int first, int end) {
  EXPECT_EQ(found.first_bit, first);
  EXPECT_EQ(found.end_bit, end);
}

TEST(SortPlan, LooksAtAllBitsOrAtThoseThatKeysHave) {
  expect_bits(plan(with(12, 1, 1000), "64", "each", "pairs"), 0, 64);
  expect_bits(plan(with(12, 1, 1000), "used", "each", "pairs"), 0, 36);
  expect_bits(plan(with(12, 5, 1000), "used", "each", "pairs"), 0, 39);
  expect_bits(plan(with(16, max_instances, max_points), "used", "each", "pairs"), 0, 60);
}

TEST(SortPlan, LooksAtOneBitAtLeast) { expect_bits(plan(with(0, 1, 1), "used", "each", "packed"), 0, 1); }

TEST(SortPlan, PutsTheCurveAboveTheKey) {
  const sort_plan four = plan(with(12, 2, 1000, 4), "used", "together", "pairs");
  expect_bits(four, 0, 39);
  EXPECT_TRUE(four.makes_words());
  expect_bits(plan(with(16, max_instances, max_points, 4), "used", "together", "pairs"), 0, 62);
}

TEST(SortPlan, PacksTheNumberBelowTheKeyWhereBothFit) {
  const sort_plan packed = plan(with(12, 1, 1024), "used", "each", "packed");
  expect_bits(packed, 10, 46);
  EXPECT_EQ(packed.index_bits, 10);
  EXPECT_TRUE(packed.packs && packed.makes_words());
  const sort_plan just = plan(with(16, 1, 1 << 16), "used", "each", "packed");
  expect_bits(just, 16, 64);
  const sort_plan above = plan(with(16, 1, (1 << 16) + 1), "used", "each", "packed");
  EXPECT_FALSE(above.packs || above.makes_words());
  EXPECT_EQ(above.index_bits, 0);
  expect_bits(above, 0, 48);
  EXPECT_FALSE(plan(with(16, 1, 1 << 16, 4), "used", "together", "packed").packs);
}

}  // namespace
}  // namespace ablate::serialize::sort_plan_test
