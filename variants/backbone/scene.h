#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"

namespace ablate::backbone {

/// The points at these axes as fp16, meters, instance after instance, and what is known of them. Throws as
/// pool's scene_at and halves_of do.
struct half_scene {
  std::vector<std::uint16_t> coordinates;
  nlohmann::ordered_json facts;
};
half_scene half_scene_at(const axis_values&, const input_library&);

/// Of each instance, cumulative; kept for generated clouds, which are the same each time.
std::vector<std::uint32_t> ends_at(const axis_values&, const input_library&);

}  // namespace ablate::backbone
