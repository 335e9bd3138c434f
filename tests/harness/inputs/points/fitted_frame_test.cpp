#include "harness/inputs/points/fitted_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "harness/inputs/clouds.h"
#include "kernels/common/point_grid.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"

namespace ablate::fitted_frame_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

point_bounds bounds_of(const std::vector<std::array<double, 3>>& points) {
  point_bounds bounds;
  for (const auto& point : points) bounds.add(point);
  return bounds;
}

fitted_frame fit(const std::vector<std::array<double, 3>>& points) {
  return fit_frame("scan.npy", bounds_of(points));
}

/// The cells of the points of a file in its fitted cube of so many cells an axis.
std::vector<std::int64_t> cells_of(const std::vector<double>& xyz, int cells) {
  const test_support::temporary_directory folder;
  const auto path = folder.write("scan.npy", test_support::npy_of(xyz));
  const input_library inputs(1, {{"scan", {path.string()}}}, {});
  const box cube = inputs.frame_of_file("scan", 0).cube;
  const point_cloud cloud = inputs.cloud(
      {.distribution = "scan", .order = "natural", .domain = cube, .origin = cloud_origin::middle});
  point_grid grid;
  grid.points_per_cloud = cloud.points();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = cube.origin[axis];
    grid.voxel[axis] = cube.size[axis] / static_cast<float>(cells);
    grid.cells[axis] = cells;
  }
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < cloud.xyz.size(); i += 3) found.push_back(cell_of(grid, &cloud.xyz[i]));
  return found;
}

TEST(FittedFrame, IsTheCubeAroundTheMiddleOfTheBox) {
  const fitted_frame frame = fit({{1, 10, -2}, {5, 11, 0}, {3, 10.5, -1}});
  EXPECT_EQ(frame.middle, (std::array<double, 3>{3, 10.5, -1}));
  const auto edge = static_cast<float>(4 * (1 + 0x1p-16));
  EXPECT_EQ(frame.cube.size, (std::array<float, 3>{edge, edge, edge}));
  EXPECT_EQ(frame.cube.origin, (std::array<float, 3>{-edge / 2, -edge / 2, -edge / 2}));
}

TEST(FittedFrame, LooksAtFinitePointsOnly) {
  const fitted_frame frame = fit({{0, 0, 0}, {nan, 900, 900}, {900, -infinity, 0}, {1e300, 0, 0}, {2, 0, 0}});
  EXPECT_EQ(frame.middle, (std::array<double, 3>{1, 0, 0}));
  EXPECT_THAT(
      [] {
        fit({{nan, 0, 0}, {0, infinity, 0}});
      },
      ThrowsMessage<input_unfit>(AllOf(HasSubstr("scan.npy: "), HasSubstr("none"))));
  EXPECT_THAT([] { fit({}); }, ThrowsMessage<input_unfit>(HasSubstr("none")));
}

TEST(FittedFrame, OfOnePointIsAUnitCube) {
  const fitted_frame frame = fit({{7, 8, 9}, {7, 8, 9}});
  EXPECT_EQ(frame.middle, (std::array<double, 3>{7, 8, 9}));
  EXPECT_EQ(frame.cube.size[0], static_cast<float>(1 + 0x1p-16));
}

TEST(FittedFrame, RefusesABoxThatFp32CannotDivide) {
  for (const double reach : {1e-30, 1e-45, 1e25, 3e38})
    EXPECT_THAT(([&] {
                  fit({{0, 0, 0}, {reach, 0, 0}});
                }),
                ThrowsMessage<input_unfit>(HasSubstr("scan.npy")))
        << reach;
}

TEST(FittedFrame, HoldsEveryPointWhateverUnitPlaceAndShape) {
  // A room's corners, an edge's middle and the room's: in meters, millimeters and nanometers; on a map whose
  // numbers fp32 holds to 3 cm or half a meter; flat, on a line, in one place.
  const std::vector<double> room = {0, 0, 0, 5, 4, 2.5, 5, 0, 2.5, 0, 4, 0, 2.5, 0, 0, 2.5, 2, 1.25};
  for (const double unit : {1.0, 1e3, 1e9, 1e-6})
    for (const std::array<double, 3>& at :
         {std::array{0.0, 0.0, 0.0}, std::array{500000.3, 5400000.7, 123.4}, std::array{-1e4, 3.0, -7.5}})
      for (const int flat_axes : {0, 1, 2, 3})
        for (const int cells : {1, 2, 7, 128, 1290}) {
          std::vector<double> xyz = room;
          for (std::size_t i = 0; i < xyz.size(); ++i)
            xyz[i] = at[i % 3] + (static_cast<int>(i % 3) < 3 - flat_axes ? xyz[i] * unit : 0.0);
          for (const std::int64_t cell : cells_of(xyz, cells))
            EXPECT_GE(cell, 0) << unit << " " << at[0] << " " << flat_axes << " " << cells;
        }
}

TEST(FittedFrame, TellsPointsOnAMapApart) {
  // Ten centimeters each, 500 km to the east: one number in fp32 for every third of them.
  std::vector<double> xyz;
  for (int i = 0; i < 10; ++i) xyz.insert(xyz.end(), {5400000 + 0.1 * i, 500000.0, 100});
  const std::vector<std::int64_t> cells = cells_of(xyz, 10);
  for (std::size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells[i] % 10, static_cast<std::int64_t>(i));
}

TEST(FittedFrame, HasCubesForCells) {
  // A corridor of 100 x 2 x 3: its points are in a row of cells, not all over the grid.
  const std::vector<std::int64_t> cells = cells_of({0, 0, 0, 100, 2, 3, 50, 1, 1.5}, 10);
  for (const std::int64_t cell : cells) {
    EXPECT_THAT(cell / 10 % 10, ::testing::AnyOf(4, 5));
    EXPECT_THAT(cell / 100, ::testing::AnyOf(4, 5));
  }
}

}  // namespace
}  // namespace ablate::fitted_frame_test
