// The operation voxel_mean on the host: inputs, oracle, check and work model, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/common/poison.h"

namespace ablate::voxel_mean_test {
namespace {

using ::testing::HasSubstr;

const operation& voxel_mean() { return *find_operation("voxel_mean"); }

/// Of few points.
axis_values at(const axis_values& given) {
  axis_values all;
  for (const axis& a : voxel_mean().axes) all.set(a.name, a.default_value);
  all.set("points", "3000");
  all.set("grid", "16");
  for (const auto& [name, value] : given) all.set(name, value);
  return all;
}

enum place { points, features, mean, count, fixed_sums };

/// A case whose outputs the reference has filled.
struct solved_case {
  explicit solved_case(const axis_values& given, const input_library& inputs = input_library(1, {}, {}))
      : buffers(voxel_mean().buffers(at(given), inputs)),
        outputs(buffers),
        work(voxel_mean().prepare(at(given), inputs)) {
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const bool written = buffers[i].role == buffer_role::output;
      if (written) std::memset(outputs.at(i), poison_byte, buffers[i].bytes);
      addresses.push_back(written ? outputs.at(i) : nullptr);
    }
    poisoned = work.check(outputs.pointers());
    work.reference(addresses);
  }
  check_result check() const { return work.check(outputs.pointers()); }
  template <class T>
  std::vector<T> output(place of) const {
    std::vector<T> values(buffers[of].bytes / sizeof(T));
    std::memcpy(values.data(), outputs.pointers()[of], buffers[of].bytes);
    return values;
  }

  std::vector<buffer> buffers;
  host_outputs outputs;
  workload work;
  check_result poisoned;
};

TEST(VoxelMeanOperation, IsRightForEverySceneOrderAndNumberOfFeatures) {
  for (const char* width : {"1", "4", "8", "64"})
    for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
      for (const char* order : {"natural", "shuffled", "morton"}) {
        const solved_case c({{"features", width},
                             {"distribution", distribution},
                             {"frame", distribution[0] == 'l' ? "vehicle" : "unit"},
                             {"order", order},
                             {"batch", "2"}});
        EXPECT_TRUE(c.check().ok) << distribution << ", " << order << ": " << c.check().message;
        EXPECT_FALSE(c.poisoned.ok);
      }
}

TEST(VoxelMeanOperation, CountsEveryValidPointOnce) {
  const solved_case c({{"distribution", "clustered"}});
  std::int64_t sum = 0, occupied = 0;
  for (const std::int32_t n : c.output<std::int32_t>(count)) sum += n, occupied += n > 0;
  EXPECT_EQ(sum, c.work.input.at("valid"));
  EXPECT_EQ(occupied, c.work.input.at("occupied"));
}

TEST(VoxelMeanOperation, FindsOutAWrongMeanAndAWrongCount) {
  for (const place wrong : {mean, count}) {
    solved_case c({});
    static_cast<std::uint8_t*>(c.outputs.at(wrong))[c.buffers[wrong].bytes - 1] ^= 0x40;
    EXPECT_FALSE(c.check().ok) << c.buffers[wrong].name;
  }
}

TEST(VoxelMeanOperation, StartsFromZerosWhereNothingClears) {
  for (const char* region : {"clear_kernel", "kernel"}) {
    const auto all = voxel_mean().buffers(at({{"region", region}}), input_library(1, {}, {}));
    for (const place summed : {mean, count, fixed_sums})
      EXPECT_EQ(all[summed].reset, region[0] == 'k' ? buffer_reset::zeros : buffer_reset::poison)
          << all[summed].name;
  }
}

TEST(VoxelMeanOperation, DeclaresItsCompulsoryWork) {
  const solved_case whole({{"features", "8"}});  // every uniform point is inside
  EXPECT_EQ(whole.work.work.bytes, (12 + 32) * 3000 + 36 * 16 * 16 * 16);
  const solved_case alone({{"features", "8"}, {"region", "kernel"}});
  const double occupied = alone.work.input.at("occupied");
  EXPECT_EQ(alone.work.work.bytes, (12 + 32) * 3000 + 36 * occupied);
}

TEST(VoxelMeanOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return voxel_mean().refuses(at(given)).value_or(""); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"distribution", "lidar"}}), HasSubstr("frame=vehicle"));
  EXPECT_THAT(reason({{"points", "0"}}), HasSubstr("for point files only"));
  EXPECT_EQ(reason({{"grid", "128"}, {"batch", "1023"}}), "");
  EXPECT_THAT(reason({{"grid", "128"}, {"batch", "1024"}}), HasSubstr("below 2^31"));
}

}  // namespace
}  // namespace ablate::voxel_mean_test
