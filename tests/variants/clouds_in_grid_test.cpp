// Point files outside the grid, in every operation that has a grid of its own.
#include "variants/clouds_in_grid.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "harness/inputs/input_errors.h"
#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/point_files.h"
#include "tests/support/refusal.h"

namespace ablate::clouds_in_grid_test {
namespace {

using test_support::point_files;
using test_support::refusal_from;
using test_support::refusal_of;
using test_support::values_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

bool has_axis(const operation& op, const std::string& name) {
  return std::any_of(op.axes.begin(), op.axes.end(), [&](const axis& a) { return a.name == name; });
}

/// All with points in a grid that the axis `frame` chooses.
std::vector<const operation*> operations_with_a_frame() {
  std::vector<const operation*> out;
  for (const auto& op : operations())
    if (has_axis(*op, "frame") && has_axis(*op, "distribution")) out.push_back(op.get());
  return out;
}

/// All points of the file `street` in a small grid.
axis_values street(const operation& op, const axis_values& more = {}) {
  return values_of(
      op, test_support::with(
              {{"distribution", "street"}, {"points", "0"}, {"grid", "16"}, {"frame", "vehicle"}}, more));
}

std::string refusal(const operation& op, const axis_values& at, const input_library& inputs) {
  return refusal_from<input_unfit>([&] { op.prepare(at, inputs); });
}

/// A ring of points around the sensor, meters.
std::vector<float> ring(float scale = 1, float x = 0, float y = 0) {
  std::vector<float> xyz;
  for (int i = 0; i < 200; ++i) {
    const float angle = 0.05f * static_cast<float>(i), range = 5 + 0.1f * static_cast<float>(i);
    xyz.insert(xyz.end(), {x + scale * range * std::cos(angle), y + scale * range * std::sin(angle),
                           scale * 0.01f * static_cast<float>(i)});
  }
  return xyz;
}

TEST(CloudsInGrid, AreAllOfTheseOperations) {
  std::vector<std::string> names;
  for (const operation* op : operations_with_a_frame()) names.push_back(op->name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"voxelize", "voxel_mean", "hard_voxelize", "voxel_pipeline"}));
}

TEST(CloudsInGrid, WithoutAPointInTheGridAreRefused) {
  point_files files;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const input_library map = files.library_of("street", ring(1, 500000, 4600000)),
                      millimeters = files.library_of("street", ring(1000)),
                      nothing = files.library_of("street", std::vector<float>(30, nan));
  for (const operation* op : operations_with_a_frame()) {
    EXPECT_THAT(refusal(*op, street(*op), map),
                AllOf(HasSubstr("/street0"), HasSubstr(": points from (49997"),
                      HasSubstr("expected some in the grid from (-51.2"),
                      HasSubstr("found none: frame=fitted lays the grid around the points")))
        << op->name;
    EXPECT_THAT(refusal(*op, street(*op), millimeters), HasSubstr("needs meters around the sensor"))
        << op->name;
    EXPECT_THAT(refusal(*op, street(*op), nothing), HasSubstr("no finite point")) << op->name;
    const workload fitted = op->prepare(street(*op, {{"frame", "fitted"}}), map);
    EXPECT_EQ(fitted.input.at("valid"), 200) << op->name;
    EXPECT_NEAR(fitted.input.at("offset_y").get<double>(), 4600000, 30) << op->name;
  }
}

TEST(CloudsInGrid, OfABatchEachHaveAPoint) {
  // Turned about the sensor, a cloud in a corner of the grid leaves it.
  point_files files;
  const input_library corner = files.library_of("street", ring(0.1f, 45, 45));
  std::size_t batched = 0;
  for (const operation* op : operations_with_a_frame()) {
    EXPECT_EQ(op->prepare(street(*op), corner).input.at("valid"), 200) << op->name;
    if (!has_axis(*op, "batch")) continue;
    ++batched;
    EXPECT_THAT(refusal(*op, street(*op, {{"batch", "2"}}), corner), HasSubstr("in cloud 1 of the batch"))
        << op->name;
  }
  EXPECT_GE(batched, 3u);
}

TEST(CloudsInGrid, CountWhatIsOutsideNotFiniteAndNeverReturned) {
  point_files files;
  std::vector<float> xyz = ring();
  for (std::size_t i = 0; i < xyz.size(); i += 6) xyz[i] += 1000;  // every second point
  const float nan = std::numeric_limits<float>::quiet_NaN();
  xyz.insert(xyz.end(), {nan, 0, 0, 0, 0, 0, 0, -0.0f, 0});
  const input_library inputs = files.library_of("street", xyz);
  for (const operation* op : operations_with_a_frame()) {
    const nlohmann::ordered_json facts = op->prepare(street(*op), inputs).input;
    EXPECT_EQ(facts.at("points"), 203) << op->name;
    EXPECT_EQ(facts.at("valid"), 102) << op->name;
    EXPECT_EQ(facts.at("non_finite"), 1) << op->name;
    EXPECT_EQ(facts.at("zero_returns"), 2) << op->name;
    EXPECT_FALSE(op->prepare(street(*op), files.library_of("street", ring())).input.contains("zero_returns"));
    if (has_axis(*op, "batch")) {
      const nlohmann::ordered_json of_two = op->prepare(street(*op, {{"batch", "2"}}), inputs).input;
      EXPECT_EQ(of_two.at("zero_returns"), 4) << op->name;
    }
  }
}

TEST(CloudsInGrid, AreMadeForTheFrame) {
  for (const operation* op : operations_with_a_frame()) {
    EXPECT_THAT(refusal_of(*op, {{"distribution", "lidar"}, {"frame", "unit"}}),
                HasSubstr("distribution=lidar needs frame=vehicle"))
        << op->name;
    EXPECT_THAT(refusal_of(*op, {{"distribution", "street"}, {"frame", "unit"}}),
                HasSubstr("they need frame=vehicle, or frame=fitted"))
        << op->name;
  }
}

}  // namespace
}  // namespace ablate::clouds_in_grid_test
