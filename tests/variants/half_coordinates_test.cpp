// Clouds far from 0 in the operations that round coordinates to fp16, or to fp32.
#include "variants/half_coordinates.h"
#include "harness/inputs/clouds.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "harness/inputs/input_errors.h"
#include "harness/registry/registry.h"
#include "tests/support/axis_values.h"
#include "tests/support/npy.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_directory.h"

namespace ablate::half_coordinates_test {
namespace {

using test_support::refusal_from;
using ::testing::HasSubstr;

constexpr std::int64_t points = 6000;

/// A LiDAR scan, moved by so many meters along x and y, as a file of doubles.
class moved_scan {
 public:
  explicit moved_scan(double by_m) {
    const point_cloud scan = input_library(1, {}, {}).cloud(
        {.distribution = "lidar", .order = "natural", .points = points, .domain = {}});
    std::vector<double> xyz(scan.xyz.begin(), scan.xyz.end());
    for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] += i % 3 == 2 ? 0 : by_m;
    path_ = folder_.write("scan.npy", test_support::npy_of(xyz));
  }

  input_library library() const { return input_library(1, {{"street", {path_.string()}}}, {}); }

 private:
  test_support::temporary_directory folder_;
  std::filesystem::path path_;
};

/// The facts of the whole file in an operation.
nlohmann::ordered_json facts_in(const char* name, const axis_values& more, const input_library& inputs) {
  const operation& op = *find_operation(name);
  const axis_values given = test_support::with({{"distribution", "street"}, {"points", "0"}}, more);
  return op.prepare(test_support::values_of(op, given), inputs).input;
}

struct rounded {
  const char* operation;
  axis_values at;
};
const std::vector<rounded>& all_rounded() {
  static const std::vector<rounded> all = {
      {"psh_bucket", {}},
      {"pool", {{"clusters", "in_bucket"}, {"points_as", "raw"}}},
      {"backbone", {{"model", "small"}, {"points_as", "raw"}, {"window", "256"}, {"bucket", "128"}}}};
  return all;
}

TEST(HalfCoordinates, KeepPositionsApartWhereverTheCloudLies) {
  for (const double by_m : {0., 30., 500., 4000., 30000., 4.6e6}) {
    const moved_scan scan(by_m);
    for (const rounded& r : all_rounded()) {
      const nlohmann::ordered_json facts = facts_in(r.operation, r.at, scan.library());
      const std::int64_t positions = facts.at("positions"), left = facts.at("fp16_positions");
      EXPECT_GT(positions, points / 2) << r.operation << " at " << by_m;
      EXPECT_GT(left, 0.9 * static_cast<double>(positions)) << r.operation << " at " << by_m;
      EXPECT_EQ(facts.contains("offset_x"), by_m >= 500) << r.operation << " at " << by_m;
    }
  }
}

TEST(HalfCoordinates, OfAScanAroundItsSensorAreThoseOfTheFile) {
  const moved_scan scan(0);
  const std::string hash = facts_in("psh_bucket", {}, scan.library()).at("hash");
  const operation& op = *find_operation("psh_bucket");
  const axis_values generated =
      test_support::values_of(op, {{"distribution", "lidar"}, {"points", std::to_string(points)}});
  EXPECT_EQ(op.prepare(generated, scan.library()).input.at("hash"), hash);
}

TEST(HalfCoordinates, ThatMergeMostPositionsAreRefused) {
  // Two scans 60 km apart: 0 is between them, and fp16 has steps of 16 m there.
  const test_support::temporary_directory folder;
  std::vector<double> xyz;
  for (int i = 0; i < 2000; ++i)
    xyz.insert(xyz.end(), {i % 2 == 0 ? -30000. : 30000., 0.01 * i, i % 2 == 0 ? -30000. : 30000.});
  for (std::size_t i = 0; i < xyz.size(); i += 3) xyz[i] += 0.005 * static_cast<double>(i % 300);
  for (std::size_t i = 1; i < xyz.size(); i += 3) xyz[i] += 30000;
  const auto path = folder.write("two.npy", test_support::npy_of(xyz));
  const input_library inputs(1, {{"street", {path.string()}}}, {});
  EXPECT_THAT(refusal_from<input_unfit>([&] { facts_in("psh_bucket", {}, inputs); }),
              HasSubstr("two.npy: expected points that fp16 tells apart, but of 2000 distinct positions"));
}

/// Distinct cells of 1 cm of the whole file.
std::size_t cells_of(const input_library& inputs) {
  const operation& op = *find_operation("serialize");
  const workload w = op.prepare(
      test_support::values_of(op, {{"distribution", "street"}, {"points", "0"}, {"grid_mm", "10"}}), inputs);
  std::set<std::array<std::int32_t, 3>> cells;
  const auto* const grid = reinterpret_cast<const std::int32_t*>(w.contents.front().data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(points); ++i)
    cells.insert({grid[3 * i], grid[3 * i + 1], grid[3 * i + 2]});
  return cells.size();
}

TEST(HalfCoordinates, SerializeToo) {
  // In map coordinates fp32 has steps of half a meter.
  const std::size_t in_place = cells_of(moved_scan(0).library());
  const std::size_t on_the_map = cells_of(moved_scan(4.6e6).library());
  EXPECT_GT(static_cast<double>(on_the_map), 0.98 * static_cast<double>(in_place));
}

TEST(HalfCoordinates, CountZeroReturnsOfTheBatch) {
  const test_support::temporary_directory folder;
  std::vector<double> xyz;
  for (int i = 0; i < 400; ++i) {
    const bool returned = i % 4 != 0;
    for (const double c : {0.1 * i - 20, 5 - 0.02 * i, 0.5}) xyz.push_back(returned ? c : 0.);
  }
  const auto path = folder.write("ouster.npy", test_support::npy_of(xyz));
  const input_library inputs(1, {{"street", {path.string()}}}, {});
  EXPECT_EQ(facts_in("psh_bucket", {{"batch", "2"}}, inputs).at("zero_returns"), 200);
  EXPECT_EQ(facts_in("serialize", {{"batch", "3"}, {"sizes", "ragged"}}, inputs).at("zero_returns"), 150);
}

}  // namespace
}  // namespace ablate::half_coordinates_test
