#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"

namespace ablate {

/// Coordinates rounded to fp16, and how many of the distinct positions of all instances that leaves: points
/// that share one are no longer told apart by anything after it.
struct half_coordinates {
  std::vector<std::uint16_t> xyz;  ///< [points][3]
  std::int64_t positions = 0, fp16_positions = 0;
};

/// Of instances that end at `ends`, [points][3]. Throws input_unfit for a coordinate that fp16 does not hold,
/// and where rounding leaves less than half of the positions: what is then measured is another cloud.
half_coordinates halves_of(std::span<const float> xyz, std::span<const std::uint32_t> ends,
                           const axis_values&, const input_library&);

/// Adds positions and fp16_positions to an operation's facts about its input.
void add_facts_of(const half_coordinates&, nlohmann::ordered_json& facts);

}  // namespace ablate
