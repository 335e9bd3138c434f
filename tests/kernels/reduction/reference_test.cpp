#include <gtest/gtest.h>

#include <vector>

#include "harness/inputs/random_floats.h"
#include "kernels/reduction/reduction.h"

namespace ablate::reduction::reference_test {
namespace {

exact_sum exact_of(const std::vector<float>& in) {
  return exact({.count = static_cast<std::int64_t>(in.size()), .in = in.data()});
}

TEST(ReductionReference, AddsByHand) {
  const exact_sum of = exact_of({3, -4, 12});
  EXPECT_EQ(of.sum, 11);
  EXPECT_EQ(of.norm, 13);
  EXPECT_EQ(of.tolerance, 0);
  EXPECT_EQ(exact_of({0.5f}).sum, 0.5);
}

TEST(ReductionReference, OnlySmallIntegersAreExactInAnyOrder) {
  EXPECT_EQ(exact_of({255, -255}).tolerance, 0);
  EXPECT_GT(exact_of({256, 1}).tolerance, 0);
  EXPECT_GT(exact_of({0.5f, 1}).tolerance, 0);
}

// Sums in two orders, one after the other, stay within.
TEST(ReductionReference, SequentialSumsOfFp32AreAccepted) {
  const std::vector<float> in = random_floats(1 << 20, 1, "test");
  const exact_sum of = exact_of(in);
  float forward = 0, backward = 0;
  for (const float value : in) forward += value;
  for (auto value = in.rbegin(); value != in.rend(); ++value) backward += *value;
  EXPECT_NE(forward, backward);
  EXPECT_NEAR(forward, of.sum, of.tolerance);
  EXPECT_NEAR(backward, of.sum, of.tolerance);
  EXPECT_LT(of.tolerance, 1e-3 * of.norm);
}

TEST(ReductionReference, ScratchHoldsWhatItSays) {
  std::vector<std::byte> memory(scratch_bytes());
  const scratch s({.scratch = memory.data()});
  EXPECT_EQ(reinterpret_cast<std::byte*>(s.partial_sums), memory.data());
  EXPECT_EQ(static_cast<std::size_t>(s.temporary - memory.data()),
            sizeof(float) * scratch::most_partial_sums);
  EXPECT_EQ(s.bytes, memory.size());
}

}  // namespace
}  // namespace ablate::reduction::reference_test
