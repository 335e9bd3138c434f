#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "harness/inputs/voxels/cloud.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// What a record says of the input: its size, how many of its coarse cells are occupied, on which it depends
/// what pruning saves, and what the dispatch rules choose. The problem's inputs are on the host.
nlohmann::ordered_json facts_of(const problem&, const voxel_cloud& rows, std::int64_t pairs);

}  // namespace ablate::kernel_map
