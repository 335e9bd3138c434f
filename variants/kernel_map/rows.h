#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/voxels/cloud.h"
#include "harness/inputs/voxels/key.h"
#include "harness/registry/operation.h"

namespace ablate::kernel_map {

/// The in rows for these axes.
voxel_cloud in_rows_at(const axis_values&, const input_library&);

/// The number of in rows.
std::int64_t rows_at(const axis_values&, const input_library&);

/// The cells of `stride` voxels per axis that hold rows, in order of first appearance.
std::vector<voxel> out_rows_of(const std::vector<std::int32_t>& coordinates, int stride);

/// The number of out rows of a strided map. Needed at each launch, so it is cached for generated scenes,
/// which are the same each time.
std::int64_t out_rows_at(const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
