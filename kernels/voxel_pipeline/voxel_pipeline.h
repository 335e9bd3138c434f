#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ablate::voxel_pipeline {

/// Points to voxel features in three passes (the study's section 6, scenario 1: voxelize, filter, extract
/// features): each voxel's points are counted and their places in it summed; voxels with fewer than `minimum`
/// points are dropped; the others yield their mean place and count.
///
/// The study does not say how a block gets all points of its voxels. Here the points come sorted by brick, a
/// cube of 8³ voxels, so that a brick's points are contiguous; that sort is not part of the region. This
/// holds for every variant.

constexpr int brick_edge = 8, voxels_of_brick = brick_edge * brick_edge * brick_edge;
constexpr int max_cells = 256;                              // along an axis
constexpr std::int64_t max_points = std::int64_t{1} << 21;  // keeps the sums of places below 2^31
/// A place in a voxel is measured in steps of 1/1024 of its edge, so the sums are integers, exact in any
/// order.
constexpr int steps_of_edge = 1024;

/// Handed from pass to pass: number of points and sums of their places, x, y, z.
struct alignas(16) tally {
  std::int32_t count, x, y, z;
  bool operator==(const tally&) const = default;
};

/// A voxel's output: the mean place of its points along x, y, z, in [0, 1), and their number; all 0 if it is
/// dropped.
struct alignas(16) feature {
  float x, y, z;
  std::int32_t count;
  bool operator==(const feature&) const = default;
};

struct problem {
  std::int64_t points = 0;        ///< at most max_points
  std::array<float, 3> origin{};  ///< meters
  std::array<float, 3> voxel{};   ///< edge lengths, meters
  int cells = 0;                  ///< along each axis: a multiple of 8, at most max_cells
  int minimum = 1;                ///< points for a voxel to be kept

  const float* xyz = nullptr;            ///< [points][3], by brick; points outside the grid come last
  const std::uint32_t* begin = nullptr;  ///< [bricks + 1]: first point of each brick, then of those outside
  feature* features = nullptr;           ///< [cells z][cells y][cells x]
  void* scratch = nullptr;               ///< scratch_bytes(problem)

  std::int64_t voxels() const { return static_cast<std::int64_t>(cells) * cells * cells; }
  int bricks_along() const { return cells / brick_edge; }
  std::int64_t bricks() const {
    return static_cast<std::int64_t>(bricks_along()) * bricks_along() * bricks_along();
  }
};

/// What a pass leaves in device memory for the next one.
struct scratch {
  tally* tallies;      ///< [voxels]
  std::uint8_t* kept;  ///< [voxels]: 0 or 1
  std::size_t bytes;

  explicit scratch(const problem&);
};
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::voxel_pipeline
