#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ablate::voxel_pipeline {

/// Points to features of voxels in three passes (the study's section 6, scenario 1: voxelize, filter, extract
/// features): a voxel's points are counted and where in it they lie is summed; voxels with fewer than
/// `minimum` points are dropped; of the others the mean place and the count come out.
///
/// The study does not say how a block comes to all points of its voxels. Here the points stand sorted by
/// brick, a cube of 8³ voxels, behind each other those of one brick; that sort is no part of the region.
/// Every variant gets them so.

constexpr int brick_edge = 8, voxels_of_brick = brick_edge * brick_edge * brick_edge;
constexpr int most_cells = 256;                              // along an axis
constexpr std::int64_t most_points = std::int64_t{1} << 21;  // sums of places stay below 2^31
/// A place in a voxel is taken in steps of 1/1024 of its edge, so sums are of integers and exact in any
/// order.
constexpr int steps_of_edge = 1024;

/// What passes hand on: points and sums of their places, x, y, z.
struct alignas(16) tally {
  std::int32_t count, x, y, z;
  bool operator==(const tally&) const = default;
};

/// What comes out of a voxel: the mean place of its points along x, y, z, from 0 below 1, and their number;
/// all 0 where it is dropped.
struct alignas(16) feature {
  float x, y, z;
  std::int32_t count;
  bool operator==(const feature&) const = default;
};

struct problem {
  std::int64_t points = 0;        ///< at most most_points
  std::array<float, 3> origin{};  ///< meters
  std::array<float, 3> voxel{};   ///< edges, meters
  int cells = 0;                  ///< along each axis: a multiple of 8, at most most_cells
  int minimum = 1;                ///< points of a voxel that is kept

  const float* xyz = nullptr;            ///< [points][3], by brick; behind them those outside of the grid
  const std::uint32_t* begin = nullptr;  ///< [bricks + 1]: first point of each brick, and of those outside
  feature* features = nullptr;           ///< [cells z][cells y][cells x]
  void* scratch = nullptr;               ///< scratch_bytes(problem)

  std::int64_t voxels() const { return static_cast<std::int64_t>(cells) * cells * cells; }
  int bricks_along() const { return cells / brick_edge; }
  std::int64_t bricks() const {
    return static_cast<std::int64_t>(bricks_along()) * bricks_along() * bricks_along();
  }
};

/// What passes leave in device memory for the next one.
struct scratch {
  tally* tallies;      ///< [voxels]
  std::uint8_t* kept;  ///< [voxels]: 0 or 1
  std::size_t bytes;

  explicit scratch(const problem&);
};
std::size_t scratch_bytes(const problem&);

/// Voxel of a point by voxelization §1 (fp32, half-open, non-finite dropped), or −1.
std::int64_t voxel_of(const problem&, const float point[3]);
/// The brick in which a voxel lies: x fastest, as voxels.
std::int64_t brick_of(const problem&, std::int64_t voxel);

/// Points in any order as the problem wants them.
struct sorted_points {
  std::vector<float> xyz;
  std::vector<std::uint32_t> begin;
};
sorted_points by_brick(const problem&, const std::vector<float>& xyz);

/// The oracle, into host buffers: one point after the other.
void reference(const problem&);

}  // namespace ablate::voxel_pipeline
