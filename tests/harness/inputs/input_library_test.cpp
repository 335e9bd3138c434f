#include "harness/inputs/clouds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>

#include "base/text/bad_input.h"
#include "tests/harness/inputs/points/cloud_helpers.h"
#include "tests/harness/inputs/points/merge_model.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace ablate::input_library_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(InputLibrary, GivesEveryDistributionInEveryOrder) {
  const input_library library(7, {}, {});
  for (const char* distribution : {"uniform", "surface", "lidar", "clustered"}) {
    const auto natural = library.cloud({distribution, "natural", 3000, unit_box});
    EXPECT_EQ(natural.points(), 3000);
    EXPECT_EQ(natural.non_finite, 0);
    for (const char* order : {"shuffled", "morton"}) {
      const auto cloud = library.cloud({distribution, order, 3000, unit_box});
      EXPECT_NE(cloud.xyz, natural.xyz) << distribution << order;
      EXPECT_EQ(multiset_of(cloud.xyz), multiset_of(natural.xyz)) << distribution << order;
    }
  }
  EXPECT_EQ(multiset_of(library.cloud({"lidar", "azimuth", 3000, unit_box}).xyz),
            multiset_of(library.cloud({"lidar", "natural", 3000, unit_box}).xyz));
}

TEST(InputLibrary, AzimuthIsAnOrderOfLidarOnly) {
  const input_library library(1, {}, {});
  EXPECT_THAT(
      [&] {
        library.cloud({"uniform", "azimuth", 10, unit_box});
      },
      ThrowsMessage<bad_input>(AllOf(HasSubstr("'uniform'"), HasSubstr("'azimuth'"), HasSubstr("morton"))));
}

TEST(InputLibrary, UnknownNamesAreRefusedWithWhatExists) {
  const input_library library(1, {{"kitti", {"data:k.bin", 4}}}, {});
  EXPECT_THAT(
      [&] {
        library.cloud({"uniform", "sorted", 10, unit_box});
      },
      ThrowsMessage<bad_input>(AllOf(HasSubstr("'sorted'"), HasSubstr("natural"), HasSubstr("shuffled"))));
  const auto names = AllOf(HasSubstr("'kity'"), HasSubstr("clustered"), HasSubstr("kitti"));
  EXPECT_THAT([&] { library.cloud({"kity", "natural", 10, unit_box}); }, ThrowsMessage<bad_input>(names));
  EXPECT_THAT([&] { library.point_count("kity", 10); }, ThrowsMessage<bad_input>(names));
}

TEST(InputLibrary, AGeneratorsNameIsNotFreeForAPointFile) {
  EXPECT_THAT(
      [] {
        input_library(1, {{"lidar", {"data:k.bin", 4}}}, {});
      },
      ThrowsMessage<bad_input>(HasSubstr("'lidar'")));
}

TEST(InputLibrary, CountsOutsideTheRangeAreRefused) {
  const input_library library(1, {}, {});
  EXPECT_EQ(library.point_count("uniform", 0), 0);
  EXPECT_EQ(library.point_count("lidar", 1 << 24), 1 << 24);
  EXPECT_EQ(library.cloud({"surface", "morton", 0, unit_box}).points(), 0);
  for (const std::int64_t points : {-1, (1 << 24) + 1})
    EXPECT_THAT(
        [&] {
          library.cloud({"uniform", "natural", points, unit_box});
        },
        ThrowsMessage<bad_input>(AllOf(HasSubstr(std::to_string(points)), HasSubstr("16777216"))));
}

TEST(InputLibrary, NonFinitePointsOfAFileAreKeptAndCounted) {
  const test_support::temporary_directory folder;
  folder.write("scan.bin", std::vector<float>{1, 2, 3, 0, nan,       2, 3, 0, 1, infinity,
                                              3, 0, 1, 2, -infinity, 0, 1, 2, 3, nan});
  const input_library library(1, {{"scan", {"data:scan.bin", 4}}}, {folder.path()});
  for (const char* order : {"natural", "shuffled", "morton"}) {
    const auto cloud = library.cloud({"scan", order, 0, unit_box});
    EXPECT_EQ(cloud.points(), 5);
    EXPECT_EQ(cloud.non_finite, 3);
  }
  EXPECT_EQ(library.cloud({"scan", "natural", 2, unit_box}).non_finite, 1);
}

TEST(InputLibrary, PointCountAgreesWithTheCloud) {
  const test_support::temporary_directory folder;
  folder.write("scan.bin", std::vector<float>(35, 1.f));
  const input_library library(1, {{"scan", {"data:scan.bin", 5}}}, {folder.path()});
  for (const std::int64_t requested : {0, 3, 7}) {
    EXPECT_EQ(library.point_count("scan", requested), requested == 0 ? 7 : requested);
    EXPECT_EQ(library.cloud({"scan", "natural", requested, unit_box}).points(),
              library.point_count("scan", requested));
  }
  EXPECT_THROW(library.point_count("scan", 8), bad_input);
  EXPECT_THROW(library.cloud({"scan", "natural", 8, unit_box}), bad_input);
}

TEST(InputLibrary, AMissingFileIsMissingForCountAndCloud) {
  const input_library library(1, {{"scan", {"data:scan.bin", 4}}}, {"/nonexistent"});
  EXPECT_THROW(library.point_count("scan", 0), input_missing);
  EXPECT_THROW(library.cloud({"scan", "natural", 0, unit_box}), input_missing);
}

TEST(HashHex, IsFnv1aOf64Bits) {
  EXPECT_EQ(hash_hex("", 0), "cbf29ce484222325");
  EXPECT_EQ(hash_hex("a", 1), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_hex("foobar", 6), "85944171f73967e8");
}

/// The folder of real scans: ABLATE_DATA, or shared/data beside the source tree.
std::optional<std::filesystem::path> real_scans() {
  const char* named = std::getenv("ABLATE_DATA");
  const std::filesystem::path folder =
      named ? named : std::filesystem::path(test_support::source_path()).parent_path() / "shared" / "data";
  if (std::filesystem::is_directory(folder)) return folder;
  return std::nullopt;
}

/// Three points as raw records of three floats.
struct small_scan {
  test_support::temporary_directory directory;
  input_library of(int sweeps) const {
    const std::vector<float> xyz = {1, 2, 3, -4, 5, 0.5f, 0, 0, -1};
    std::ofstream(directory.path() / "scan.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(xyz.data()),
               static_cast<std::streamsize>(xyz.size() * sizeof(float)));
    return {1, {{"scan", {(directory.path() / "scan.bin").string(), 3, sweeps}}}, {}};
  }
};

TEST(Sweeps, AreTheFilesPointsFromOnePoseAfterTheOther) {
  const small_scan scan;
  const std::vector<float> one = scan.of(1).cloud({"scan", "natural", 0, unit_box}).xyz;
  const input_library library = scan.of(40);
  EXPECT_EQ(library.point_count("scan", 0), 120);
  const std::vector<float> all = library.cloud({"scan", "natural", 0, unit_box}).xyz;
  ASSERT_EQ(all.size(), 40 * one.size());
  EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin()));
  const auto between = [](const float* a, const float* b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  for (std::size_t sweep = 1; sweep < 40; ++sweep) {
    const float* const here = &all[sweep * one.size()];
    const float* const before = here - one.size();
    for (const std::size_t point : {0u, 3u}) {
      EXPECT_NEAR(between(here + point, here + point + 3), between(&one[point], &one[point + 3]), 1e-4);
      EXPECT_EQ(here[point + 2], one[point + 2]);  // turned about the vertical alone
    }
    EXPECT_NEAR(between(here + 6, before + 6), 2, 1e-4);  // the sensor's own axis moves by a step
    EXPECT_NE(here[0] - here[6], before[0] - before[6]);
  }
}

TEST(Sweeps, GiveTheFirstPointsThatAreAskedFor) {
  const small_scan scan;
  const input_library library = scan.of(4);
  const std::vector<float> all = library.cloud({"scan", "natural", 0, unit_box}).xyz;
  const std::vector<float> some = library.cloud({"scan", "natural", 7, unit_box}).xyz;
  ASSERT_EQ(some.size(), 21u);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  EXPECT_THAT([&] { library.point_count("scan", 13); },
              ThrowsMessage<input_unfit>(AllOf(HasSubstr("scan.bin"), HasSubstr("13"), HasSubstr("12"))));
}

struct real_scan {
  const char* file;
  int floats_per_point;
  std::int64_t points;
  double share_inside;
  double points_per_voxel;
};

class RealScan : public ::testing::TestWithParam<real_scan> {};

TEST_P(RealScan, HasItsKnownPointsInsideAndPerVoxel) {
  const auto folder = real_scans();
  if (!folder || !std::filesystem::exists(*folder / GetParam().file))
    ABLATE_LACKS("data", std::string(GetParam().file) +
                             " is neither in ABLATE_DATA nor in shared/data beside the source tree");
  const input_library library(
      1, {{"scan", {std::string("data:") + GetParam().file, GetParam().floats_per_point}}}, {*folder});
  EXPECT_EQ(library.point_count("scan", 0), GetParam().points);
  const auto cloud = library.cloud({"scan", "natural", 0, vehicle_box});
  ASSERT_EQ(cloud.points(), GetParam().points);
  EXPECT_EQ(cloud.non_finite, 0);
  const auto voxels = voxel_indices(cloud.xyz, cells_of(vehicle_box, 128));
  const merge_count whole = merge_in_groups(voxels, voxels.size());
  EXPECT_NEAR(static_cast<double>(whole.points) / static_cast<double>(cloud.points()),
              GetParam().share_inside, 0.005);
  EXPECT_NEAR(whole.points_per_atomic(), GetParam().points_per_voxel, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Vehicles, RealScan,
                         ::testing::Values(real_scan{"kitti_000008.bin", 4, 17238, 0.98, 6.4},
                                           real_scan{"nuscenes_lidar_top.pcd.bin", 5, 34688, 0.95, 6.8}),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "Kitti" : "NuScenes");
                         });

}  // namespace
}  // namespace ablate::input_library_test
