#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/bf16.h"
#include "oracles/trajectory_resample/reference.h"

namespace ablate::trajectory_resample::reference_test {
namespace {

struct place {
  int first;
  float weight;
  bool operator==(const place&) const = default;
};

place find(const std::vector<float>& times, float target, outside beyond = outside::clamp) {
  const bracket at = bracket_of(times.data(), static_cast<int>(times.size()), target, beyond);
  return {at.first, at.weight};
}

TEST(Bracket, IsTheLastSampleNotLater) {
  const std::vector<float> times = {1, 2, 4, 8};
  EXPECT_EQ(find(times, 1), (place{0, 0}));
  EXPECT_EQ(find(times, 1.5f), (place{0, .5f}));
  EXPECT_EQ(find(times, 2), (place{1, 0}));
  EXPECT_EQ(find(times, 3), (place{1, .5f}));
  EXPECT_EQ(find(times, 5), (place{2, .25f}));
}

TEST(Bracket, OutsideTheEndSamplesHold) {
  const std::vector<float> times = {1, 2, 4, 8};
  EXPECT_EQ(find(times, -7), (place{0, 0}));
  EXPECT_EQ(find(times, 8), (place{2, 1})) << "the last sample, as the end of the last gap";
  EXPECT_EQ(find(times, 100), (place{2, 1}));
}

TEST(Bracket, AsPublishedTheLineGoesOn) {
  const std::vector<float> times = {1, 2, 4, 8};
  EXPECT_EQ(find(times, 12, outside::extrapolate_after), (place{2, 2}));
  EXPECT_EQ(find(times, 0, outside::extrapolate_after), (place{0, 0}));
  EXPECT_EQ(find(times, 12, outside::extrapolate), (place{2, 2}));
  EXPECT_EQ(find(times, 0, outside::extrapolate), (place{0, -1}));
}

TEST(Bracket, OfEqualTimesTheLastCounts) {
  const std::vector<float> times = {1, 2, 2, 2, 3};
  EXPECT_EQ(find(times, 2), (place{3, 0}));
  EXPECT_EQ(find(times, 2.5f), (place{3, .5f}));
  EXPECT_EQ(find({2, 2, 2}, 2), (place{1, 0})) << "a gap of 0 at the end";
  EXPECT_EQ(find({2, 2, 2}, 9), (place{1, 0}));
}

TEST(Bracket, GapsBelowAMicrosecondAreNone) {
  EXPECT_EQ(find({1, 1 + 4 * 0x1p-23f}, 1 + 2 * 0x1p-23f), (place{0, 0}));
  EXPECT_EQ(find({1, 1 + 16 * 0x1p-23f}, 1 + 8 * 0x1p-23f), (place{0, .5f})) << "1.9 µs";
}

TEST(Bracket, OfOneSampleAllAreCopies) {
  for (const float target : {-1.f, 5.f, 9.f})
    for (const outside beyond : {outside::clamp, outside::extrapolate_after, outside::extrapolate})
      EXPECT_EQ(find({5}, target, beyond), (place{0, 0}));
}

/// Two trajectories of three samples at 0, 1, 2 s with two channels, 10 apart: the second is the negative.
struct made {
  std::vector<float> source = {0, 1, 10, 11, 20, 21, 0, -1, -10, -11, -20, -21};
  std::vector<float> source_times = {0, 1, 2, 0, 1, 2};
  std::vector<float> target_times = {.5f, 3, 1, -1};
  std::vector<float> out = std::vector<float>(8);
  problem p;

  made() {
    p.batch = 2;
    p.samples = 3;
    p.targets = 2;
    p.channels = p.out_row = 2;
    p.source = source.data();
    p.source_times = source_times.data();
    p.target_times = target_times.data();
    p.out = out.data();
  }
};

TEST(TrajectoryReference, InterpolatesEveryChannel) {
  const made m;
  reference(m.p);
  EXPECT_EQ(m.out, (std::vector<float>{5, 6, 20, 21, -10, -11, 0, -1}));
}

TEST(TrajectoryReference, WritesIntoLongerRows) {
  made m;
  m.p.out_row = 3;
  m.out.assign(12, 7);
  m.p.out = m.out.data() + 1;
  reference(m.p);
  EXPECT_EQ(m.out, (std::vector<float>{7, 5, 6, 7, 20, 21, 7, -10, -11, 7, 0, -1}));
}

TEST(TrajectoryReference, CountsTheSamplesThatTargetsNeed) {
  made m;
  EXPECT_EQ(needed_rows(m.p), 3 + 2) << "0 and 1, and the last; the second, and the first";
  m.p.targets = 1;
  m.target_times = {0, 1.5f};
  m.p.target_times = m.target_times.data();
  EXPECT_EQ(needed_rows(m.p), 1 + 2);
}

TEST(TrajectoryReference, DeviationsAreInUlpsOfTheLargerTerms) {
  made m;
  reference(m.p);
  EXPECT_EQ(deviation_of(m.p).ulps, 0);
  m.out[2] = std::nextafter(std::nextafter(20.f, 100.f), 100.f);
  const deviation two = deviation_of(m.p);
  EXPECT_EQ(two.ulps, 2);
  EXPECT_EQ(two.at, 2);
  EXPECT_EQ(two.expected, 20);
  m.out[7] = std::numeric_limits<float>::quiet_NaN();
  m.out[1] = 0;
  EXPECT_EQ(deviation_of(m.p).at, 7);
  EXPECT_EQ(deviation_of(m.p).ulps, std::numeric_limits<double>::infinity());
}

TEST(TrajectoryReference, DeviationsOfBf16AreInItsUlps) {
  const std::vector<std::uint16_t> source = {bf16_of_float(1), bf16_of_float(2)};
  const std::vector<float> times = {0, 1}, targets = {.5f};
  std::uint16_t out = 0;
  problem p;
  p.samples = 2;
  p.type = element::bfloat16;
  p.source = source.data();
  p.source_times = times.data();
  p.target_times = targets.data();
  p.out = &out;
  reference(p);
  EXPECT_EQ(float_of_bf16(out), 1.5f);
  ++out;
  EXPECT_EQ(deviation_of(p).ulps, 1);
}

}  // namespace
}  // namespace ablate::trajectory_resample::reference_test
