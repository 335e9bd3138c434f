#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/npy.h"
#include "tests/support/run_program.h"

// Point files through the program: every one of their points, of any unit and anywhere; and what bad ones
// cost.
namespace ablate::point_files_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A room of 5 x 4 x 2.5 with a point on every 0.5 of its floor and walls, moved and scaled, and one that is
/// no point.
std::vector<double> room(double unit, const std::array<double, 3>& at) {
  std::vector<double> xyz;
  const auto add = [&](double x, double y, double z) {
    xyz.insert(xyz.end(), {at[0] + unit * x, at[1] + unit * y, at[2] + unit * z});
  };
  for (double x = 0; x <= 5; x += 0.5)
    for (double y = 0; y <= 4; y += 0.5) add(x, y, 0);
  for (double x = 0; x <= 5; x += 0.5)
    for (double z = 0.5; z <= 2.5; z += 0.5) add(x, 4, z);
  add(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  return xyz;
}
constexpr int room_points = 11 * 9 + 11 * 5 + 1;

class PointFiles : public ::testing::Test {
 protected:
  PointFiles() {
    files_.write("meters.npy", test_support::npy_of(room(1, {0, 0, 0})));
    files_.write("map.npy", test_support::npy_of(room(1, {500000.25, 5400000.5, 120})));
    files_.write("millimeters.ply", ply_of(room(1000, {-100, 70, 30})));
    files_.write("one.bin", std::vector<float>{1, 2, 3, 4});
    files_.write("none.npy", test_support::npy_of<float>({}));
    files_.write("empty.bin", "");
    files_.write("cut.bin", std::vector<float>(250, 1.f));
  }

  static std::string ply_of(const std::vector<double>& xyz) {
    const std::size_t points = xyz.size() / 3;
    std::string text = fmt::format(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty uchar red\nproperty double z\n"
        "property float confidence\nproperty double x\nproperty double y\nend_header\n",
        points);
    const auto put = [&](const void* value, std::size_t bytes) {
      text.append(static_cast<const char*>(value), bytes);
    };
    for (std::size_t i = 0; i < points; ++i) {
      put("r", 1);
      put(&xyz[3 * i + 2], sizeof(double));
      put("conf", sizeof(float));
      put(&xyz[3 * i], 2 * sizeof(double));
    }
    return text;
  }

  /// A suite of these blocks.
  std::string suite(const std::string& blocks) const {
    return files_
        .write("suite.json", R"({"name": "scans", "description": "d", "maximum_cases": 10000,
  "sampling": {"minimum_samples": 1, "maximum_samples": 1},
  "point_files": {"meters": {"path": "meters.npy"}, "map": {"path": "map.npy"},
                  "millimeters": {"path": "millimeters.ply"}, "one": {"path": "one.bin"},
                  "none": {"path": "none.npy"}, "hollow": {"path": "empty.bin"},
                  "cut": {"path": "cut.bin"}, "lost": {"path": "lost.bin"}},
  "cases": [)" + blocks + "]}")
        .string();
  }

  json run(const std::string& blocks, int exit_code) const {
    const auto result = test_support::run_ablate(
        {"run", suite(blocks), "--device", "host", "--out", (files_.path() / "out").string(), "--overwrite"});
    EXPECT_EQ(result.exit_code, exit_code) << result.error;
    return json::parse(test_support::slurp(files_.path() / "out/record.json"));
  }

  test_support::temporary_directory files_;
};

const char* const fitted_blocks = R"(
  {"operation": "voxelize", "axes": {"points": "all", "distribution": ["meters", "map", "millimeters", "one"],
                                     "frame": "fitted", "grid": 16, "order": ["natural", "morton", "linear"]}},
  {"operation": "voxel_mean", "axes": {"points": "all", "distribution": ["meters", "map", "millimeters", "one"],
                                       "frame": "fitted", "grid": 16}},
  {"operation": "hard_voxelize", "axes": {"points": "all", "distribution": ["meters", "map", "millimeters", "one"],
                                          "frame": "fitted", "grid": 16}},
  {"operation": "voxel_pipeline", "axes": {"points": "all", "distribution": ["meters", "map", "millimeters", "one"],
                                           "frame": "fitted", "grid": 16}})";

TEST_F(PointFiles, AreWholeInAFittedFrame) {
  const json record = run(fitted_blocks, 0);
  EXPECT_EQ(record.at("benchmarks").size(), 24u);
  EXPECT_EQ(record.at("unmeasured").size(), 0u);
  for (const json& c : record.at("benchmarks")) {
    const bool is_room = c.at("axes").at("distribution").get<std::string>() != "one";
    EXPECT_EQ(c.at("axes").at("points").get<std::string>(), "0") << c.at("name");
    EXPECT_EQ(c.at("input").at("points").get<int>(), is_room ? room_points : 1) << c.at("name");
    EXPECT_EQ(c.at("input").at("valid").get<int>(), is_room ? room_points - 1 : 1) << c.at("name");
  }
}

TEST_F(PointFiles, OccupyTheSameCellsInAnyUnitAndPlace) {
  const json record = run(fitted_blocks, 0);
  std::set<int> occupied;
  for (const json& c : record.at("benchmarks"))
    if (c.at("operation").get<std::string>() == "voxelize" &&
        c.at("axes").at("distribution").get<std::string>() != "one")
      occupied.insert(c.at("input").at("occupied").get<int>());
  EXPECT_EQ(occupied.size(), 1u);
  EXPECT_GT(*occupied.begin(), room_points / 2);
}

TEST_F(PointFiles, GiveAllTheirRows) {
  const json record = run(R"(
    {"operation": "kernel_map", "axes": {"scene": ["meters", "map", "one"], "rows": "all", "kernel": "3"}},
    {"operation": "serialize", "axes": {"points": "all", "distribution": "one"}},
    {"operation": "psh_bucket", "axes": {"points": "all", "distribution": "one"}})",
                          0);
  ASSERT_EQ(record.at("benchmarks").size(), 5u) << record.at("unmeasured");
  for (const json& c : record.at("benchmarks")) {
    const bool is_room = c.at("operation").get<std::string>() == "kernel_map" &&
                         c.at("axes").at("scene").get<std::string>() != "one";
    EXPECT_EQ(c.at("input").at("points").get<int>(), is_room ? room_points - 1 : 1) << c.at("name");
  }
}

TEST_F(PointFiles, CostTheirOwnCasesWhereTheyAreBad) {
  const std::string blocks = R"(
    {"operation": "voxelize", "axes": {"points": "all", "frame": "fitted", "grid": 16,
                                       "distribution": ["meters", "none", "hollow", "cut", "lost", "uniform"]}},
    {"operation": "voxelize", "axes": {"points": 1000, "grid": 16, "frame": "vehicle", "distribution": "meters"}},
    {"operation": "serialize", "axes": {"points": "all", "distribution": ["meters", "cut", "uniform"]}},
    {"operation": "psh_bucket", "axes": {"points": "all", "distribution": ["map", "lost"]}},
    {"operation": "kernel_map", "axes": {"scene": ["meters", "cut", "lost", "uniform_1"], "rows": [1000, "all"],
                                         "kernel": "3", "output": ["lists", "dense"]},
     "exclude": [{"scene": "uniform_1", "rows": 1000}]})";
  const json record = run(blocks, 75);
  std::map<std::string, int> statuses;
  for (const json& c : record.at("benchmarks")) {
    ++statuses["ok"];
    EXPECT_THAT(c.at("name").get<std::string>(), HasSubstr("meters"));
  }
  for (const json& c : record.at("unmeasured")) {
    const std::string name = c.at("name"), status = c.at("status"), reason = c.at("reason");
    ++statuses[status];
    const auto is_about = [&](const char* word) { return name.find(word) != std::string::npos; };
    if (is_about("=cut/")) {
      EXPECT_EQ(status, "failed") << name;
      EXPECT_THAT(reason, AllOf(HasSubstr("cut.bin: byte 992: expected"), HasSubstr("truncated"))) << name;
    } else if (is_about("=hollow/")) {
      EXPECT_EQ(status, "failed") << name;
      EXPECT_THAT(reason, HasSubstr("empty.bin: expected points, the file is empty"));
    } else if (is_about("=lost/")) {
      EXPECT_EQ(status, "input_missing") << name;
      EXPECT_THAT(reason, HasSubstr("lost.bin"));
    } else {
      EXPECT_EQ(status, "not_applicable") << name;
      if (is_about("=none/")) {
        EXPECT_THAT(reason, HasSubstr("none.npy: expected points, the file holds 0"));
      }
      if (is_about("scene=meters")) {
        EXPECT_THAT(reason, AllOf(HasSubstr("meters.npy: in cells of 10 cm: expected 1000 voxels or more, "),
                                  HasSubstr("the file has 154")));
      }
      if (is_about("points=1000")) {
        EXPECT_THAT(reason, HasSubstr("meters.npy: expected 1000 points or more, the file holds 155"));
      }
      if (is_about("distribution=uniform")) {
        EXPECT_THAT(reason, HasSubstr("is for point files only"));
      }
    }
  }
  EXPECT_EQ(statuses["ok"], 3) << "voxelize, and two outputs of kernel_map";

  const auto planned = test_support::run_ablate({"plan", suite(blocks), "--filter", "global_atomic/|flat/"});
  EXPECT_EQ(planned.exit_code, 0) << planned.error;
  EXPECT_THAT(planned.out, AllOf(HasSubstr("input broken"), HasSubstr("cut.bin: byte 992")));
}

}  // namespace
}  // namespace ablate::point_files_test
