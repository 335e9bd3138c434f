#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/voxels/cloud.h"
#include "harness/inputs/voxels/key.h"
#include "harness/registry/operation.h"

namespace ablate::kernel_map {

/// The in rows at these axes.
voxel_cloud in_rows_at(const axis_values&, const input_library&);

/// How many there are.
std::int64_t rows_at(const axis_values&, const input_library&);

/// The rows' cells of `stride` voxels per axis, in order of first appearance.
std::vector<voxel> out_rows_of(const std::vector<std::int32_t>& coordinates, int stride);

/// How many out rows a strided map has. Asked for at each launch, so what was counted is kept, of generated
/// scenes: those are the same each time.
std::int64_t out_rows_at(const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
