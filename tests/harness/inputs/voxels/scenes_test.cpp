#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/text/bad_input.h"
#include "tests/harness/inputs/voxels/helpers.h"
#include "tests/support/capability.h"
#include "tests/support/npy.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace ablate::voxel_scenes_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

voxel_request scene(const std::string& word, std::int64_t rows = 0, const std::string& order = "scan") {
  voxel_request request;
  request.scene = word;
  request.rows = rows;
  request.order = order;
  return request;
}

std::optional<double> fact(const voxel_cloud& cloud, const std::string& name) {
  for (const auto& [key, value] : cloud.facts)
    if (key == name) return value;
  return std::nullopt;
}

const input_library& library() {
  static const input_library seeded(1, {}, {});
  return seeded;
}

class EveryScene : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryScene, GivesExactlyTheWantedRowsDistinctAndInTheBox) {
  for (const std::int64_t rows : {1, 2, 31, 1000, 300000}) {
    const auto cloud = library().voxels(scene(GetParam(), rows));
    ASSERT_EQ(cloud.rows(), rows);
    EXPECT_EQ(cloud.distinct, rows);
    EXPECT_EQ(library().voxel_row_count(scene(GetParam(), rows)), rows);
    const auto keys = sorted_keys(cloud);
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
    std::array<std::int32_t, 4> low, high;
    low.fill(std::numeric_limits<std::int32_t>::max());
    high.fill(std::numeric_limits<std::int32_t>::min());
    for (std::size_t i = 0; i < cloud.coords.size(); ++i) {
      low[i % 4] = std::min(low[i % 4], cloud.coords[i]);
      high[i % 4] = std::max(high[i % 4], cloud.coords[i]);
    }
    EXPECT_EQ(cloud.low, low);
    EXPECT_EQ(cloud.high, high);
    EXPECT_TRUE(fits_a_key({low[0], low[1], low[2], low[3]}));
    EXPECT_TRUE(fits_a_key({high[0], high[1], high[2], high[3]}));
    double cells = 1;
    for (std::size_t i = 0; i < 4; ++i) cells *= high[i] - low[i] + 1.;
    EXPECT_DOUBLE_EQ(cloud.density, static_cast<double>(rows) / cells);
  }
}

TEST_P(EveryScene, OrdersHoldTheSameRows) {
  const auto scan = library().voxels(scene(GetParam(), 20000));
  const auto shuffled = library().voxels(scene(GetParam(), 20000, "shuffled"));
  const auto curve = library().voxels(scene(GetParam(), 20000, "morton"));
  EXPECT_NE(shuffled.coords, scan.coords);
  EXPECT_NE(curve.coords, scan.coords);
  EXPECT_EQ(sorted_keys(shuffled), sorted_keys(scan));
  EXPECT_EQ(sorted_keys(curve), sorted_keys(scan));
  const auto rows = rows_of(curve);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const voxel& a, const voxel& b) { return morton_code(a) < morton_code(b); }));
}

TEST_P(EveryScene, CopiesAreNeighborsUnlessShuffled) {
  for (const std::int64_t multiplicity : {2, 8, 32, 1000}) {
    auto request = scene(GetParam(), 1001);
    request.multiplicity = multiplicity;
    const auto cloud = library().voxels(request);
    ASSERT_EQ(cloud.rows(), 1001);
    EXPECT_EQ(cloud.distinct, (1001 + multiplicity - 1) / multiplicity);
    const auto rows = rows_of(cloud);
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_copy = i % static_cast<std::size_t>(multiplicity) != 0;
      if (is_copy) {
        ASSERT_EQ(rows[i], rows[i - 1]);
      }
      ASSERT_EQ(seen.insert(key_of(rows[i])).second, !is_copy);
    }
    request.order = "shuffled";
    const auto shuffled = library().voxels(request);
    EXPECT_EQ(sorted_keys(shuffled), sorted_keys(cloud));
    EXPECT_EQ(shuffled.distinct, cloud.distinct);
    EXPECT_EQ(shuffled.coords != cloud.coords, cloud.distinct > 1);
  }
}

std::string word_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string word = info.param;
  std::replace(word.begin(), word.end(), '.', '_');
  return word;
}

INSTANTIATE_TEST_SUITE_P(Voxels, EveryScene, ::testing::ValuesIn(voxel_scenes()), word_of);

TEST(VoxelScenes, HaveTheSameBitsOnEveryMachine) {
  const std::map<std::string, std::string> known = {{"uniform_0.1", "9ae08b033a9da0cd"},
                                                    {"uniform_0.26", "369a52b5625926c6"},
                                                    {"uniform_1", "2ff964ca62090610"},
                                                    {"uniform_5", "9f78079e7e170b64"},
                                                    {"plane", "0849060bb51df0a5"},
                                                    {"oblique_plane", "616a0a41c2641caf"},
                                                    {"shells", "befad91299ee661e"},
                                                    {"room", "9e3640654d9ef69f"},
                                                    {"lidar_10cm", "88f1f587a16c5ddb"},
                                                    {"lidar_5cm", "842d30cf9065f4b1"},
                                                    {"lidar_10cm_moved", "eb9e84221cf3f392"},
                                                    {"lidar_5cm_moved", "00733db128254046"},
                                                    {"solid", "36a17938cab85ce5"},
                                                    {"lattice_4", "76fe030c80922a05"},
                                                    {"lattice_16", "c5dcd5634498fda5"},
                                                    {"lattice_256", "ba40bdaddfc4e935"},
                                                    {"adversarial", "c7c50328e1eddad3"},
                                                    {"random", "63ad5791e0164b3d"},
                                                    {"shuffled solid", "ad5b864a0b9aae8d"}};
  for (const std::string& word : voxel_scenes()) {
    const auto cloud = library().voxels(scene(word, 60000));
    EXPECT_EQ(hash_hex(cloud.coords.data(), cloud.coords.size() * 4), known.at(word)) << word;
  }
  const auto shuffled = library().voxels(scene("solid", 60000, "shuffled")).coords;
  EXPECT_EQ(hash_hex(shuffled.data(), shuffled.size() * 4), known.at("shuffled solid"));
}

TEST(VoxelScenes, DependOnTheSeedWhereTheyAreRandom) {
  const input_library other(2, {}, {});
  for (const std::string& word : voxel_scenes()) {
    const bool is_random = word.find("plane") == std::string::npos &&
                           word.find("lattice") == std::string::npos && word != "solid";
    EXPECT_EQ(library().voxels(scene(word, 5000)).coords != other.voxels(scene(word, 5000)).coords, is_random)
        << word;
  }
}

struct shape {
  const char* word;
  std::int64_t rows;    // 0 = the scene's own
  double coarse_share;  // N_c / N at a stride of 4
  double pairs_3d[3];   // per query of edge 5, 7, 9
  double tolerance;
};

class KnownShape : public ::testing::TestWithParam<shape> {};

/// Known figures of each scene; edges of small clouds are counted in.
TEST_P(KnownShape, HasItsCoarseCellsAndPairs) {
  const shape& known = GetParam();
  const auto cloud = library().voxels(scene(known.word, known.rows));
  const auto near = [&](double measured, double expected, const char* what) {
    EXPECT_NEAR(measured / expected, 1, known.tolerance) << what << " " << measured << ", not " << expected;
  };
  near(coarse_share(cloud, 2), known.coarse_share, "coarse cells per voxel");
  for (int i = 0; i < 3; ++i)
    near(pairs_per_query(cloud, 5 + 2 * i, 6000), known.pairs_3d[i], "pairs per query");
}

INSTANTIATE_TEST_SUITE_P(Voxels, KnownShape,
                         ::testing::Values(shape{"uniform_0.1", 400000, 0.969, {1.124, 1.34, 1.73}, 0.03},
                                           shape{"uniform_0.26", 400000, 0.923, {1.32, 1.9, 2.9}, 0.03},
                                           shape{"uniform_1", 400000, 0.74, {2.2, 4.4, 8.2}, 0.03},
                                           shape{"uniform_5", 400000, 0.301, {7.1, 17.5, 36}, 0.03},
                                           shape{"plane", 0, 0.0625, {25, 49, 80}, 0.03},
                                           shape{"oblique_plane", 0, 0.125, {25, 49, 80}, 0.03},
                                           shape{"shells", 0, 0.108, {24, 47, 79}, 0.03},
                                           shape{"room", 0, 0.07, {33, 67, 114}, 0.1},
                                           shape{"lidar_10cm", 0, 0.22, {12, 22, 35}, 0.1},
                                           shape{"lidar_10cm", 200000, 0.22, {12, 22, 35}, 0.1},
                                           shape{"solid", 0, 0.015625, {118, 316, 656}, 0.03}),
                         [](const auto& info) {
                           std::string name = info.param.word + std::string(info.param.rows ? "_grown" : "");
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(VoxelScenes, HaveTheirOwnSizes) {
  EXPECT_EQ(library().voxels(scene("plane")).rows(), 512 * 512);
  EXPECT_EQ(library().voxels(scene("oblique_plane")).rows(), 512 * 512);
  EXPECT_EQ(library().voxels(scene("solid")).rows(), 64 * 64 * 64);
  const auto room = library().voxels(scene("room"));
  EXPECT_NEAR(static_cast<double>(room.rows()), 750000, 75000);
  EXPECT_EQ(fact(room, "rooms"), 1);
  const auto sweep = library().voxels(scene("lidar_10cm"));
  EXPECT_NEAR(static_cast<double>(sweep.rows()), 50000, 7000);
  EXPECT_EQ(fact(sweep, "sweeps"), 1);
  EXPECT_GT(library().voxels(scene("lidar_5cm")).rows(), sweep.rows() * 3 / 2);
  EXPECT_EQ(library().voxel_row_count(scene("room")), room.rows());
}

TEST(VoxelScenes, GrowInTheirOwnWays) {
  const auto batches = library().voxels(scene("lidar_10cm", 200000));
  EXPECT_EQ(batches.high[0], *fact(batches, "sweeps") - 1);
  const auto moved = library().voxels(scene("lidar_10cm_moved", 200000));
  EXPECT_EQ(moved.high[0], 0);
  EXPECT_GT(*fact(moved, "sweeps"), *fact(batches, "sweeps"));
  const auto rooms = library().voxels(scene("room", 1600000));
  EXPECT_EQ(fact(rooms, "rooms"), 3);
  EXPECT_NEAR(coarse_share(rooms, 2), 0.07, 0.007);
  EXPECT_EQ(fact(library().voxels(scene("shells", 600000)), "spheres"), 18);
}

TEST(VoxelScenes, FewerRowsAreTheBeginningOfMoreUnlessTheySetAnEdge) {
  for (const char* word : {"shells", "room", "lidar_10cm", "lidar_5cm", "lidar_10cm_moved", "lidar_5cm_moved",
                           "adversarial", "random"}) {
    const auto more = library().voxels(scene(word, 100000)).coords;
    const auto fewer = library().voxels(scene(word, 12345)).coords;
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin())) << word;
  }
}

TEST(VoxelScenes, PlanesLieWhereTheyAreSaidTo) {
  for (const voxel& v : rows_of(library().voxels(scene("plane")))) ASSERT_EQ(v.z, 3);
  for (const voxel& v : rows_of(library().voxels(scene("oblique_plane")))) {
    const int below = -(v.x + 2 * v.y) - 3 * v.z;
    ASSERT_TRUE(below >= 0 && below < 3);
  }
}

TEST(VoxelScenes, LatticesHaveTheirStep) {
  for (const int step : {4, 16, 256})
    for (const voxel& v : rows_of(library().voxels(scene("lattice_" + std::to_string(step), 30000))))
      ASSERT_TRUE(v.x % step == 0 && v.y % step == 0 && v.z % step == 0);
}

TEST(VoxelScenes, UniformFillsEveryOctantAndRunOfRowsAlike) {
  const auto rows = rows_of(library().voxels(scene("uniform_1", 80000)));
  std::array<std::array<int, 8>, 2> octants{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    ++octants[2 * i / rows.size()][(rows[i].x < 0) + 2 * (rows[i].y < 0) + 4 * (rows[i].z < 0)];
  for (const auto& half : octants)
    for (const int voxels : half) EXPECT_NEAR(voxels, 5000, 350);
}

TEST(VoxelScenes, AdversarialVoxelsShareOneHomeSlot) {
  const auto rows = rows_of(library().voxels(scene("adversarial", 1 << 14)));
  const auto home = static_cast<std::uint32_t>(splitmix(key_of(rows[0])));
  for (const voxel& v : rows) ASSERT_EQ(static_cast<std::uint32_t>(splitmix(key_of(v))), home);
}

TEST(VoxelScenes, RandomVoxelsUseEveryBitOfTheRange) {
  const auto cloud = library().voxels(scene("random", 100000));
  std::array<int, 64> ones{};
  for (const std::uint64_t key : sorted_keys(cloud))
    for (int bit = 0; bit < 64; ++bit) ones[bit] += key >> bit & 1;
  EXPECT_EQ(ones[63], 100000);
  for (int bit = 0; bit < 63; ++bit) EXPECT_NEAR(ones[bit], 50000, 800) << bit;
}

TEST(VoxelShift, MovesEveryRow) {
  const auto scan = rows_of(library().voxels(scene("room", 5000)));
  auto request = scene("room", 5000);
  request.shift = {1, -2000, 3};
  const auto moved = rows_of(library().voxels(request));
  for (std::size_t i = 0; i < scan.size(); ++i)
    ASSERT_EQ(moved[i], (voxel{scan[i].batch, scan[i].x + 1, scan[i].y - 2000, scan[i].z + 3}));
  request = scene("solid", 8);
  request.shift = {131071, -131071, 0};  // the cube is -1..0
  EXPECT_EQ(library().voxels(request).high, (std::array{0, 131071, -131071, 0}));
}

TEST(VoxelShift, OutOfTheRangeIsRefused) {
  auto request = scene("solid", 8);
  for (const std::array<std::int32_t, 3> shift :
       {std::array{131072, 0, 0}, {0, -131072, 0}, {0, 0, std::numeric_limits<std::int32_t>::min()}}) {
    request.shift = shift;
    EXPECT_THAT([&] { library().voxels(request); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr("'solid'"), HasSubstr("shift ("))));
  }
  for (const char* word : {"adversarial", "random"}) {
    request = scene(word, 8);
    request.shift = {0, 1, 0};
    EXPECT_THAT([&] { library().voxels(request); }, ThrowsMessage<bad_input>(HasSubstr("shift (0, 1, 0)")));
  }
}

TEST(VoxelRequest, BrokenOnesAreRefused) {
  const auto refuses = [](const voxel_request& request, const std::string& what) {
    const auto message =
        ThrowsMessage<bad_input>(AllOf(HasSubstr("'" + request.scene + "'"), HasSubstr(what)));
    EXPECT_THAT([&] { library().voxels(request); }, message);
    EXPECT_THAT([&] { library().voxel_row_count(request); }, message);
  };
  refuses(scene("rooms", 10), "uniform_0.1, ");
  refuses(scene("", 10), "expected one of");
  refuses(scene("lidar_20cm", 10), "expected one of");
  refuses(scene("solid", -1), "-1 rows");
  refuses(scene("solid", (1 << 25) + 1), "33554432");
  refuses(scene("solid", 10, "natural"), "order 'natural'");
  for (const char* word : {"uniform_1", "lattice_4", "adversarial", "random"}) refuses(scene(word), "0 rows");
  auto request = scene("solid", 10);
  for (const std::int64_t multiplicity : {0, -1, (1 << 25) + 1}) {
    request.multiplicity = multiplicity;
    refuses(request, "multiplicity " + std::to_string(multiplicity));
  }
  request = scene("solid");  // 64^3 x 1000 rows
  request.multiplicity = 1000;
  refuses(request, "262144000 rows");
}

TEST(PointFileScene, HasTheCellsInTheOrderOfFirstAppearance) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const test_support::temporary_directory folder;
  folder.write("scan.bin", std::vector<float>{0.31f, -0.01f, 0, 0, 0,    0, 0, 0, 0.39f,  -0.09f, 0.09f, 0,
                                              nan,   0,      0, 0, 2e6f, 0, 0, 0, -0.31f, 0,      0,     0});
  const input_library files(1, {{"scan", {"data:scan.bin", 4}}}, {folder.path()});
  const auto cloud = files.voxels(scene("scan_10cm"));
  EXPECT_EQ(rows_of(cloud), (std::vector<voxel>{{0, 3, -1, 0}, {0, 0, 0, 0}, {0, -4, 0, 0}}));
  EXPECT_EQ(fact(cloud, "points"), 6);
  EXPECT_EQ(fact(cloud, "skipped_points"), 2);
  EXPECT_EQ(fact(cloud, "cell_m"), 0.1);
  EXPECT_EQ(files.voxels(scene("scan_5cm")).distinct, 4);
  EXPECT_EQ(files.voxel_row_count(scene("scan_10cm")), 3);
  EXPECT_EQ(files.voxels(scene("scan_10cm", 2)).rows(), 2);
  EXPECT_THAT([&] { files.voxels(scene("scan_10cm", 4)); },
              ThrowsMessage<input_unfit>(AllOf(HasSubstr("scan.bin: in cells of 10 cm: "),
                                               HasSubstr("4 voxels or more"), HasSubstr("has 3"))));
  EXPECT_THROW(files.voxel_row_count(scene("scan_10cm", 4)), input_unfit);
  for (const char* word : {"scan", "scan_0cm", "scan_101cm", "scan_10", "scan_10cmm", "scan_-5cm", "_10cm"})
    EXPECT_THAT([&] { files.voxels(scene(word)); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr(word), HasSubstr("scan_10cm"))));
}

TEST(PointFileScene, OfAMapIsCountedFromItsMiddle) {
  // Cells of 10 cm reach 13 km from 0.
  const test_support::temporary_directory folder;
  folder.write("map.npy", test_support::npy_of<double>({500000.05, 5400000.05, 100.05,  //
                                                        500010.15, 5400020.05, 100.05}));
  folder.write("wide.npy", test_support::npy_of<double>({0.05, 0.05, 0.05, 500000, 0, 0}));
  const input_library files(1, {{"map", {"data:map.npy"}}, {"wide", {"data:wide.npy"}}}, {folder.path()});
  const auto cloud = files.voxels(scene("map_10cm"));
  ASSERT_EQ(cloud.rows(), 2);
  EXPECT_NEAR(fact(cloud, "offset_x").value(), 500005.1, 1e-6);
  EXPECT_EQ(fact(cloud, "skipped_points"), 0);
  EXPECT_LE(std::abs(cloud.high[1]), 51);
  EXPECT_EQ(cloud.high[2] - cloud.low[2], 200);
  // No key holds all of it, wherever it is counted from.
  EXPECT_EQ(rows_of(files.voxels(scene("wide_10cm"))), (std::vector<voxel>{{0, 0, 0, 0}}));
}

TEST(PointFileScene, OfNoPointAtAllIsUnfit) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const test_support::temporary_directory folder;
  folder.write("none.bin", std::vector<float>{nan, nan, nan, 0});
  const input_library files(1, {{"none", {"data:none.bin", 4}}}, {folder.path()});
  EXPECT_THAT([&] { files.voxels(scene("none_10cm")); },
              ThrowsMessage<input_unfit>(AllOf(HasSubstr("none.bin"), HasSubstr("has 0"))));
}

TEST(PointFileScene, AMissingFileIsMissing) {
  const input_library files(1, {{"scan", {"data:scan.bin", 4}}}, {"/nonexistent"});
  EXPECT_THROW(files.voxels(scene("scan_10cm")), input_missing);
}

TEST(PointFileScene, RealScansHaveTheirKnownVoxels) {
  const char* named = std::getenv("ABLATE_DATA");
  const std::filesystem::path folder =
      named ? named : std::filesystem::path(test_support::source_path()).parent_path() / "shared" / "data";
  if (!std::filesystem::exists(folder / "kitti_000008.bin"))
    ABLATE_LACKS("data",
                 "kitti_000008.bin is neither in ABLATE_DATA nor in shared/data beside the source tree");
  const input_library files(1, {{"kitti", {"data:kitti_000008.bin", 4}}}, {folder});
  EXPECT_EQ(files.voxels(scene("kitti_10cm")).rows(), 9884);
  EXPECT_EQ(files.voxels(scene("kitti_5cm")).rows(), 14023);
}

}  // namespace
}  // namespace ablate::voxel_scenes_test
