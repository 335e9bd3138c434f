// Every variant of trajectory_resample against the oracle: sizes, element types, equal times, targets
// outside and unsorted, rows that do and do not fit vectors.
#include "tests/support/every_variant.cuh"

namespace ablate::trajectory_resample_gpu_test {
namespace {

class TrajectoryResampleOnGpu : public test_support::every_variant_test {
 protected:
  TrajectoryResampleOnGpu() : every_variant_test("trajectory_resample") {}

  /// In both types, in both orders of the targets.
  void expect_all_right(axis_values at) const {
    for (const char* element : {"f32", "bf16"})
      for (const char* order : {"sorted", "shuffled"}) {
        at.set("element", element);
        at.set("order", order);
        SCOPED_TRACE(std::string(element) + ", " + order);
        expect_right(at);
      }
  }
};

TEST_F(TrajectoryResampleOnGpu, EverySize) {
  for (const char* samples : {"1", "2", "3", "31", "33", "500"})
    for (const char* targets : {"1", "7", "8", "17", "65"})
      for (const char* channels : {"1", "6", "8", "32", "256"}) {
        SCOPED_TRACE(std::string(samples) + " samples, " + targets + " targets, " + channels + " channels");
        expect_all_right(
            {{"batch", "3"}, {"samples", samples}, {"targets", targets}, {"channels", channels}});
      }
}

TEST_F(TrajectoryResampleOnGpu, EqualTimesAndGapsBelowAMicrosecond) {
  for (const char* samples : {"4", "100", "4096"})
    for (const char* times : {"repeated", "runs_of_3"})
      expect_all_right(
          {{"batch", "2"}, {"samples", samples}, {"targets", "300"}, {"channels", "16"}, {"times", times}});
}

TEST_F(TrajectoryResampleOnGpu, TargetsOutsideAsPublished) {
  for (const char* outside : {"extrapolate_after", "extrapolate"})
    for (const char* samples : {"1", "2", "50"})
      expect_all_right({{"batch", "2"},
                        {"samples", samples},
                        {"targets", "100"},
                        {"channels", "12"},
                        {"outside", outside}});
}

TEST_F(TrajectoryResampleOnGpu, ShapesOfTheStudy) {
  expect_all_right({{"batch", "32"}, {"samples", "500"}, {"targets", "250"}, {"channels", "256"}});
  expect_all_right({{"batch", "256"}, {"samples", "500"}, {"targets", "250"}, {"channels", "32"}});
  expect_all_right({{"batch", "64"}, {"samples", "4096"}, {"targets", "1024"}, {"channels", "32"}});
  expect_all_right({{"batch", "256"}, {"samples", "100"}, {"targets", "50"}, {"channels", "32"}});
}

TEST_F(TrajectoryResampleOnGpu, MoreSamplesThanSharedMemoryTakesUnasked) {
  for (const char* samples : {"12287", "12288", "12289", "32768"})
    expect_all_right({{"batch", "2"}, {"samples", samples}, {"targets", "40"}, {"channels", "4"}});
}

TEST_F(TrajectoryResampleOnGpu, ManyTrajectories) {
  expect_all_right({{"batch", "65535"}, {"samples", "3"}, {"targets", "2"}, {"channels", "1"}});
}

}  // namespace
}  // namespace ablate::trajectory_resample_gpu_test
