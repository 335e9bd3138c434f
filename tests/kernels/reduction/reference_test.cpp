#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/inputs/random_floats.h"
#include "oracles/reduction/reference.h"

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
  EXPECT_GT(0.5, of.tolerance) << "an element of ordinary size that is left out";
}

// The standard deviation from which the tolerance is derived, against sequential sums of many samples.
TEST(ReductionReference, TheToleranceIsFarAboveWhatSequentialSumsDeviate) {
  constexpr int samples = 300;
  double squares = 0;
  for (int sample = 0; sample < samples; ++sample) {
    const std::vector<float> in = random_floats(1 << 14, static_cast<std::uint64_t>(sample), "test");
    const exact_sum of = exact_of(in);
    float sum = 0;
    for (const float value : in) sum += value;
    const double part = (sum - of.sum) / of.tolerance;
    EXPECT_LT(std::abs(part), 0.5) << sample;
    squares += part * part;
  }
  const double deviation = std::sqrt(squares / samples);
  EXPECT_LT(deviation, 1.0 / 17);
  EXPECT_GT(deviation, 0.5 / 17);
}

TEST(ReductionReference, ScratchHoldsWhatItSays) {
  std::vector<std::byte> memory(scratch_bytes());
  const scratch s({.scratch = memory.data()});
  EXPECT_EQ(s.temporary, memory.data());
  EXPECT_EQ(s.bytes, memory.size());
  EXPECT_LE(s.temporary_bytes, s.bytes);
}

}  // namespace
}  // namespace ablate::reduction::reference_test
