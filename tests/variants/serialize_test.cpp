// The operation serialize on the host: axes, regions, inputs, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/point_files.h"
#include "tests/support/refusal.h"
#include "tests/support/solved_workload.h"
#include "tests/support/temporary_directory.h"

namespace ablate::serialize_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::refusal_from;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& serialize() { return *find_operation("serialize"); }

/// Of few points.
axis_values at(const axis_values& given) { return values_of(serialize(), with({{"points", "3000"}}, given)); }

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(serialize(), at(given)) {}
  nlohmann::ordered_json locality() const { return quality().at("locality_rms_m"); }
};

TEST(SerializeOperation, IsRightForEveryCurveRegionPatchAndIndex) {
  for (const char* curve : {"all", "z", "z_transposed", "hilbert", "hilbert_transposed"})
    for (const char* region : {"all", "keys", "keys_sort"})
      for (const char* patch : {"0", "1024"})
        for (const char* index : {"int64", "int32"}) {
          const solved_case c({{"curve", curve}, {"region", region}, {"patch", patch}, {"index", index}});
          EXPECT_TRUE(c.check().ok) << curve << ", " << region << ": " << c.check().message;
          EXPECT_FALSE(c.check_poison().ok);
        }
}

TEST(SerializeOperation, IsRightForEveryDistributionOrderAndBatch) {
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"})
    for (const char* order : {"natural", "shuffled", "morton"})
      for (const char* sizes : {"equal", "ragged"}) {
        const solved_case c(
            {{"distribution", distribution}, {"order", order}, {"sizes", sizes}, {"batch", "5"}});
        EXPECT_TRUE(c.check().ok) << distribution << ", " << order << ": " << c.check().message;
        EXPECT_EQ(c.fact("points"), sizes[0] == 'e' ? 15000 : 6000);
      }
}

TEST(SerializeOperation, TakesNoPointsAndOne) {
  const solved_case none({{"sizes", "ragged"}}), one({{"points", "1"}});
  EXPECT_TRUE(none.check().ok) << none.check().message;
  EXPECT_EQ(none.fact("points"), 0);
  EXPECT_EQ(none.fact("sequences"), 0);
  EXPECT_TRUE(none.locality().is_null());
  EXPECT_TRUE(one.check().ok) << one.check().message;
  EXPECT_EQ(one.fact("depth"), 0);
}

TEST(SerializeOperation, HasTheDepthOfItsGrid) {
  EXPECT_EQ(solved_case({{"distribution", "uniform"}}).fact("depth"), 11);  // 100 m by 50 mm
  EXPECT_EQ(solved_case({{"distribution", "uniform"}, {"grid_mm", "10000"}}).fact("depth"), 4);
  EXPECT_EQ(solved_case({{"distribution", "uniform"}, {"grid_mm", "2"}}).fact("depth"), 16);
  EXPECT_EQ(solved_case({{"distribution", "uniform"}, {"batch", "5"}}).fact("key_bits"), 3 * 12 + 3);
}

TEST(SerializeOperation, CutsPointsOfAFileIntoCells) {
  test_support::point_files files;
  const input_library inputs =
      files.library_of("five", std::vector<float>{-1, 0, 2, -0.96f, 0, 2, -0.94f, 0.3f, 2, 0, 0, 2});
  const workload w = serialize().prepare(at({{"distribution", "five"}, {"points", "0"}}), inputs);
  std::vector<std::int32_t> cells(12);
  ASSERT_EQ(w.contents.front().size(), 48u);
  std::memcpy(cells.data(), w.contents.front().data(), 48);
  EXPECT_EQ(cells, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 6, 0, 20, 0, 0}));
}

TEST(SerializeOperation, RefusesFilesWithoutAGrid) {
  const test_support::temporary_directory files;
  const auto nan = files.write("nan.bin", std::vector<float>{0, std::numeric_limits<float>::quiet_NaN(), 0});
  const auto wide = files.write("wide.bin", std::vector<float>{0, 0, 0, 0, 0, 4000});
  const input_library inputs(1, {{"nan", {nan.string(), 3}}, {"wide", {wide.string(), 3}}}, {});
  const auto message = [&](const char* file) {
    return refusal_from([&] { serialize().buffers(at({{"distribution", file}, {"points", "0"}}), inputs); });
  };
  EXPECT_THAT(message("nan"), HasSubstr("point 0: expected finite coordinates"));
  EXPECT_THAT(message("wide"), HasSubstr("point 1: expected a grid of less than 65536 cells along an axis"));
}

TEST(SerializeOperation, FindsOutAWrongOutput) {
  for (const char* wrong : {"keys", "order", "inverse", "pad", "unpad", "cu_seqlens"}) {
    solved_case c({});
    c.output<std::uint8_t>(wrong)[8] ^= 1;
    EXPECT_FALSE(c.check().ok) << wrong;
  }
}

TEST(SerializeOperation, HasTheOutputsOfItsRegionAlone) {
  const auto bytes = [](const axis_values& given, const char* of) {
    const auto all = serialize().buffers(at(given), input_library(1, {}, {}));
    return std::ranges::find(all, of, &buffer::name)->bytes;
  };
  EXPECT_EQ(bytes({{"region", "keys"}}, "keys"), 4u * 8 * 3000);
  EXPECT_EQ(bytes({{"region", "keys"}}, "order"), 0u);
  EXPECT_EQ(bytes({{"region", "keys_sort"}, {"index", "int32"}}, "order"), 4u * 4 * 3000);
  EXPECT_EQ(bytes({{"region", "keys_sort"}}, "inverse"), 0u);
  EXPECT_EQ(bytes({{"curve", "hilbert"}}, "inverse"), 8u * 3000);
  EXPECT_EQ(bytes({{"patch", "0"}}, "pad"), 0u);
  EXPECT_EQ(bytes({{"patch", "1024"}}, "pad"), 8u * 3072);
  EXPECT_EQ(bytes({{"patch", "1024"}}, "unpad"), 8u * 3000);
  EXPECT_EQ(bytes({{"patch", "1024"}}, "cu_seqlens"), 4u * 4);
  EXPECT_EQ(bytes({{"patch", "4096"}}, "cu_seqlens"), 4u * 2);
}

TEST(SerializeOperation, DeclaresCompulsoryWork) {
  const auto bytes = [](const axis_values& given) { return solved_case(given).work.work.bytes; };
  const double read = 12.0 * 3000 + 4;
  EXPECT_EQ(bytes({{"region", "keys"}}), read + 32 * 3000);
  EXPECT_EQ(bytes({{"region", "keys_sort"}, {"curve", "z"}}), read + 16 * 3000);
  EXPECT_EQ(bytes({{"patch", "0"}, {"index", "int32"}}), read + (32 + 32) * 3000);
  EXPECT_EQ(bytes({{"patch", "1024"}}), read + (32 + 64) * 3000 + 8 * (3072 + 3000) + 16);
}

TEST(SerializeOperation, AModelSortsByPassesOfEightBits) {
  const work_model work =
      solved_case({{"region", "keys_sort"}, {"curve", "z"}, {"index", "int32"}}).work.work;
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[0].kind, "keys");
  EXPECT_EQ(work.steps[0].bytes, (12.0 + 8) * 3000);
  EXPECT_EQ(work.steps[0].written_bytes, 8.0 * 3000);
  const double passes = work.steps[1].count;
  EXPECT_GE(passes, 4);
  EXPECT_LE(passes, 8);
  EXPECT_EQ(work.steps[1].written_bytes, passes * (8 + 4) * 3000);
  EXPECT_EQ(work.steps[1].bytes, 2 * work.steps[1].written_bytes);
  EXPECT_TRUE(solved_case({{"region", "keys"}}).work.work.steps.empty());
}

// The curve with unit steps keeps points nearer to each other than the one with jumps, and both nearer than
// the scan order.
TEST(SerializeOperation, TellsHowNearNeighborsInAnOrderAre) {
  const auto locality = [](const char* curve) -> double {
    return solved_case({{"distribution", "uniform"}, {"points", "50000"}, {"curve", curve}}).locality();
  };
  const double z = locality("z"), hilbert = locality("hilbert");
  EXPECT_LT(hilbert, z);
  EXPECT_LT(z, 25);  // of the whole cube: 50 m
  EXPECT_TRUE(solved_case({{"region", "keys"}}).locality().is_null());
}

TEST(SerializeOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(serialize(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"points", "0"}}), HasSubstr("for point files only"));
  EXPECT_THAT(reason({{"points", "4194304"}, {"batch", "5"}}), HasSubstr("at most 16777216"));
  EXPECT_EQ(reason({{"points", "4194304"}, {"batch", "4"}}), "");
}

TEST(SerializeOperation, FillsEveryInputToItsSize) {
  const solved_case c({{"batch", "3"}, {"sizes", "ragged"}});
  expect_inputs_filled(c.work, c.buffers);
}

}  // namespace
}  // namespace ablate::serialize_test
