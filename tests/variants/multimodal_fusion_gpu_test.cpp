// Every variant of multimodal_fusion against the oracle: sizes, element types, equal times, targets outside
// and unsorted.
#include "tests/support/every_variant.cuh"

namespace ablate::multimodal_fusion_gpu_test {
namespace {

using test_support::with;

class MultimodalFusionOnGpu : public test_support::every_variant_test {
 protected:
  MultimodalFusionOnGpu() : every_variant_test("multimodal_fusion") {}

  void expect_all_right(axis_values at) const {
    for (const char* element : {"f32", "bf16"})
      for (const char* order : {"sorted", "shuffled"})
        for (const char* times : {"jittered", "repeated", "runs_of_3"}) {
          at.set("element", element);
          at.set("order", order);
          at.set("times", times);
          SCOPED_TRACE(std::string(element) + ", " + order + ", " + times);
          expect_right(at);
        }
  }

  static axis_values streams(const char* const (&samples)[3], const char* const (&channels)[3]) {
    return {{"vision_samples", samples[0]},         {"vision_channels", channels[0]},
            {"proprioception_samples", samples[1]}, {"proprioception_channels", channels[1]},
            {"force_samples", samples[2]},          {"force_channels", channels[2]}};
  }
};

TEST_F(MultimodalFusionOnGpu, EverySize) {
  for (const char* targets : {"1", "7", "8", "9", "50"}) {
    SCOPED_TRACE(targets);
    const axis_values few = {{"batch", "3"}, {"targets", targets}};
    expect_all_right(with(few, streams({"1", "1", "1"}, {"1", "1", "1"})));
    expect_all_right(with(few, streams({"2", "1", "33"}, {"5", "40", "3"})));
    expect_all_right(with(few, streams({"1", "500", "2"}, {"33", "1", "64"})));
  }
}

TEST_F(MultimodalFusionOnGpu, TargetsOutsideAsPublished) {
  for (const char* outside : {"extrapolate_after", "extrapolate"})
    expect_all_right({{"outside", outside}, {"targets", "100"}});
}

TEST_F(MultimodalFusionOnGpu, ShapesOfTheStudy) {
  expect_all_right({{"batch", "4"}, {"targets", "50"}});
  expect_all_right(
      with(streams({"150", "500", "500"}, {"512", "14", "6"}), {{"batch", "32"}, {"targets", "250"}}));
}

TEST_F(MultimodalFusionOnGpu, MoreSamplesThanSharedMemoryTakesUnasked) {
  for (const char* of_vision : {"4088", "10000"})
    expect_all_right(
        with(streams({of_vision, "8000", "200"}, {"4", "2", "1"}), {{"batch", "2"}, {"targets", "40"}}));
}

}  // namespace
}  // namespace ablate::multimodal_fusion_gpu_test
