// The operation multimodal_fusion on the host: inputs, check and work model, whatever the variant.
#include <gtest/gtest.h>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "oracles/multimodal_fusion/reference.h"
#include "tests/support/axis_values.h"

namespace ablate::multimodal_fusion_test {
namespace {

using test_support::values_of;

constexpr std::size_t out_place = 7;

const operation& fusion() { return *find_operation("multimodal_fusion"); }

axis_values at(const axis_values& given) { return values_of(fusion(), given); }

struct ran {
  workload work;
  std::vector<buffer> buffers;
  host_outputs outputs;

  explicit ran(const axis_values& given)
      : work(fusion().prepare(at(given), input_library(1, {}, {}))),
        buffers(fusion().buffers(at(given), input_library(1, {}, {}))),
        outputs(buffers) {
    std::vector<void*> addresses(buffers.size(), nullptr);
    addresses[out_place] = outputs.at(out_place);
    work.reference(addresses);
  }
};

TEST(MultimodalFusionOperation, TheReferencePassesItsCheck) {
  for (const char* element : {"f32", "bf16"})
    for (const char* outside : {"clamp", "extrapolate"})
      for (const char* force_samples : {"1", "200"}) {
        ran r({{"element", element}, {"outside", outside}, {"force_samples", force_samples}});
        const check_result result = r.work.check(r.outputs.pointers());
        EXPECT_TRUE(result.ok) << element << outside << force_samples << result.message;
      }
}

TEST(MultimodalFusionOperation, PutsTheStreamsNextToEachOther) {
  multimodal_fusion::problem p;
  p.targets = 2;
  const std::vector<float> times = {0, 2}, targets = {0, 1};
  const std::vector<float> a = {0, 1, 2, 3}, b = {10, 20}, c = {5, 6, 7, 7, 8, 9};
  p.streams = {
      {{2, 2, a.data(), times.data()}, {2, 1, b.data(), times.data()}, {2, 3, c.data(), times.data()}}};
  p.target_times = targets.data();
  ASSERT_EQ(p.out_row(), 6);
  ASSERT_EQ(p.samples(), 6);
  std::vector<float> out(12);
  p.out = out.data();
  multimodal_fusion::reference(p);
  EXPECT_EQ(out, (std::vector<float>{0, 1, 10, 5, 6, 7, 1, 2, 15, 6, 7, 8}));
}

TEST(MultimodalFusionOperation, TheCheckNamesTheStreamThatIsWrong) {
  ran r({});
  auto* out = static_cast<float*>(r.outputs.at(out_place));
  const std::size_t row = 512 + 64 + 12;
  out[row * 3 + 512 + 64 + 7] += 1;
  const check_result result = r.work.check(r.outputs.pointers());
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("force: trajectory 0, target 3, channel 7"), std::string::npos)
      << result.message;
}

TEST(MultimodalFusionOperation, DeclaresItsCompulsoryWork) {
  const ran r({{"vision_samples", "1"}, {"proprioception_samples", "1"}, {"force_samples", "1"}});
  const double row = 512 + 64 + 12;
  EXPECT_EQ(r.work.work.bytes, 4 * (row * 4 + 3 * 4) + 4 * 50 * 4 + 4 * 50 * row * 4);
  EXPECT_EQ(r.work.work.flops, 4 * 4 * 50 * row);
}

TEST(MultimodalFusionOperation, RefusesMoreThanItHolds) {
  EXPECT_FALSE(fusion().refuses(at({})));
  EXPECT_TRUE(fusion().refuses(at({{"vision_samples", "32768"}})));
  EXPECT_TRUE(fusion().refuses(at({{"batch", "65535"}})));
}

}  // namespace
}  // namespace ablate::multimodal_fusion_test
