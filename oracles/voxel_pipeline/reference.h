#pragma once

#include <cstdint>
#include <vector>

#include "kernels/voxel_pipeline/voxel_pipeline.h"

namespace ablate::voxel_pipeline {

/// A point's voxel as in docs/operations/voxelize.md (fp32, half-open, non-finite dropped), or −1.
std::int64_t voxel_of(const problem&, const float point[3]);
/// The brick that contains a voxel: x fastest, as for voxels.
std::int64_t brick_of(const problem&, std::int64_t voxel);

/// Points in any order, brought into the problem's order.
struct sorted_points {
  std::vector<float> xyz;
  std::vector<std::uint32_t> begin;
};
sorted_points by_brick(const problem&, const std::vector<float>& xyz);

/// The oracle, into host buffers: one point after the other.
void reference(const problem&);

}  // namespace ablate::voxel_pipeline
