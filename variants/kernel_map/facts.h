#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "harness/inputs/voxels/cloud.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// Facts about the input for a record: its size, how many of its coarse cells are occupied (which determines
/// what pruning saves), and what the dispatch rules choose. The problem's inputs are on the host.
nlohmann::ordered_json facts_of(const problem&, const voxel_cloud& rows, std::int64_t pairs);

}  // namespace ablate::kernel_map
