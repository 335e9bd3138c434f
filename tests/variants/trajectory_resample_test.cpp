// The operation trajectory_resample on the host: inputs, check and work model, whatever the variant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/common/poison.h"
#include "tests/support/axis_values.h"

namespace ablate::trajectory_resample_test {
namespace {

using test_support::values_of;
using test_support::with;

const operation& resample() { return *find_operation("trajectory_resample"); }

axis_values at(const axis_values& given) {
  return values_of(resample(),
                   with({{"batch", "3"}, {"samples", "40"}, {"targets", "30"}, {"channels", "8"}}, given));
}

struct ran {
  workload work;
  std::vector<buffer> buffers;
  host_outputs outputs;

  explicit ran(const axis_values& given, std::uint64_t seed = 1)
      : work(resample().prepare(at(given), input_library(seed, {}, {}))),
        buffers(resample().buffers(at(given), input_library(seed, {}, {}))),
        outputs(buffers) {
    std::vector<void*> addresses = {nullptr, nullptr, nullptr, outputs.at(3)};
    work.reference(addresses);
  }
  std::vector<float> times(std::size_t of) const {
    const auto* first = reinterpret_cast<const float*>(work.contents[of].data());
    return {first, first + work.contents[of].size() / sizeof(float)};
  }
};

TEST(TrajectoryResampleOperation, TheReferencePassesItsCheck) {
  for (const char* element : {"f32", "bf16"})
    for (const char* times : {"jittered", "repeated", "runs_of_3"})
      for (const char* outside : {"clamp", "extrapolate_after", "extrapolate"})
        for (const char* samples : {"1", "2", "40"}) {
          ran r({{"element", element}, {"times", times}, {"outside", outside}, {"samples", samples}});
          const check_result result = r.work.check(r.outputs.pointers());
          EXPECT_TRUE(result.ok) << element << times << outside << samples << result.message;
          EXPECT_LE(result.max_error, 0.501) << "rounded to nearest, bf16 through fp32";
        }
}

TEST(TrajectoryResampleOperation, TargetsLieInsideAndOutsideAndOnSamples) {
  const ran r({{"targets", "200"}});
  const std::vector<float> samples = r.times(1), targets = r.times(2);
  ASSERT_EQ(samples.size(), 120u);
  ASSERT_EQ(targets.size(), 600u);
  for (std::size_t b = 0; b < 3; ++b) {
    const auto from = samples.begin() + static_cast<long>(40 * b), to = from + 40;
    const auto first = targets.begin() + static_cast<long>(200 * b), last = first + 200;
    EXPECT_TRUE(std::is_sorted(from, to));
    EXPECT_TRUE(std::is_sorted(first, last));
    EXPECT_LT(*first, *from);
    EXPECT_GT(*(last - 1), *(to - 1));
    EXPECT_GE(std::count_if(first, last, [&](float t) { return std::binary_search(from, to, t); }), 25);
  }
}

TEST(TrajectoryResampleOperation, RepeatedTimesRepeatAndStayInOrder) {
  const std::vector<float> times = ran({{"times", "repeated"}, {"batch", "1"}}).times(1);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  int equal = 0, tiny = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    equal += times[i] == times[i - 1];
    tiny += times[i] > times[i - 1] && times[i] - times[i - 1] < 1e-6f;
  }
  EXPECT_EQ(equal, 10);
  EXPECT_GE(tiny, 4);
}

// Runs of two at even places never cross a warp's end, and say nothing of what takes the second for the last.
TEST(TrajectoryResampleOperation, RunsOfThreeCrossTheEndOfAWarpsSamples) {
  const std::vector<float> times = ran({{"times", "runs_of_3"}, {"batch", "1"}, {"samples", "500"}}).times(1);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  int runs = 0, across = 0;
  for (std::size_t i = 0; i + 2 < times.size(); ++i) {
    if (times[i] != times[i + 2]) continue;
    ++runs;
    across += i / 32 != (i + 2) / 32;
    EXPECT_TRUE(i + 3 == times.size() || times[i + 3] > times[i]);
  }
  EXPECT_EQ(runs, 100);
  EXPECT_GE(across, 5);
}

TEST(TrajectoryResampleOperation, ShuffledTargetsAreTheSameTargets) {
  std::vector<float> shuffled = ran({{"order", "shuffled"}, {"batch", "1"}}).times(2);
  EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, ran({{"batch", "1"}}).times(2));
}

TEST(TrajectoryResampleOperation, TheCheckFindsOneWrongNumber) {
  for (const char* element : {"f32", "bf16"}) {
    ran r({{"element", element}});
    auto* bytes = static_cast<unsigned char*>(r.outputs.at(3));
    const std::size_t element_bytes = r.buffers[3].bytes / (3 * 30 * 8);
    bytes[element_bytes * (30 * 8 + 2 * 8 + 5 + 1) - 1] ^= 0x80;  // the sign
    const check_result result = r.work.check(r.outputs.pointers());
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.message.find("trajectory 1, target 2, channel 5"), std::string::npos) << result.message;
  }
}

TEST(TrajectoryResampleOperation, TheCheckFindsWhatIsRoundedAwayFromZero) {
  ran r({{"element", "f32"}});
  auto* const out = static_cast<float*>(r.outputs.at(3));
  for (std::size_t i = 0; i < r.buffers[3].bytes / sizeof(float); ++i)
    out[i] = std::nextafter(out[i], 2 * out[i]);
  const check_result result = r.work.check(r.outputs.pointers());
  EXPECT_NE(result.message.find("out: elements are"), std::string::npos) << result.message;
  EXPECT_GT(r.work.quality(r.outputs.pointers()).at("bias").get<double>(), result.accepted_error);
}

TEST(TrajectoryResampleOperation, TheCheckFindsWhatWasNeverWritten) {
  for (const char* element : {"f32", "bf16"}) {
    ran r({{"element", element}});
    std::fill_n(static_cast<unsigned char*>(r.outputs.at(3)), r.buffers[3].bytes, poison_byte);
    EXPECT_FALSE(r.work.check(r.outputs.pointers()).ok);
  }
}

TEST(TrajectoryResampleOperation, DeclaresItsCompulsoryWork) {
  const ran one({{"samples", "1"}});
  EXPECT_EQ(one.work.work.bytes, 3 * (8 * 4 + 4) + 3 * 30 * 4 + 3 * 30 * 8 * 4);
  EXPECT_EQ(one.work.work.flops, 4 * 3 * 30 * 8);
  const ran dense({{"targets", "2000"}, {"element", "bf16"}});
  EXPECT_EQ(dense.work.input.at("needed_samples"), 3 * 40);
  EXPECT_EQ(dense.work.work.bytes, 3 * 40 * (8 * 2 + 4) + 3 * 2000 * 4 + 3 * 2000 * 8 * 2);
}

TEST(TrajectoryResampleOperation, RefusesMoreThanItHolds) {
  const auto refusal = resample().refuses(at({{"batch", "65535"}, {"samples", "32768"}}));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->find("at most 268435456"), std::string::npos);
  EXPECT_FALSE(resample().refuses(at({})));
}

TEST(TrajectoryResampleOperation, OnlySortedTargetsAreWalked) {
  for (const variant_facts& v : resample().variants) {
    const bool walks = v.name.starts_with("merge_walk");
    EXPECT_EQ(first_unmet(v.only_where, at({{"order", "shuffled"}})) != nullptr, walks) << v.name;
    EXPECT_EQ(first_unmet(v.only_where, at({})), nullptr) << v.name;
  }
}

}  // namespace
}  // namespace ablate::trajectory_resample_test
