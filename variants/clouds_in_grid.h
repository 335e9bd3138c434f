#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "harness/inputs/clouds.h"
#include "harness/registry/axis.h"

namespace ablate {

/// The clouds of a batch, all of one size, and how many points of each are in its grid.
struct clouds_in_grid {
  const point_cloud& of;                ///< `xyz` has all clouds; its counts are of the first
  std::span<const std::int64_t> valid;  ///< of each cloud
  box grid;
};

/// Adds points, valid, non_finite and what else is known of the clouds (add_facts_of) to an operation's facts
/// about its input. Throws input_unfit, with the extent of the points, for a cloud without a point in its
/// grid: its times would be those of an operation on nothing. Every operation that has a grid of its own asks
/// here.
void add_facts_in_grid(const clouds_in_grid&, const axis_values&, const input_library&,
                       nlohmann::ordered_json& facts);

}  // namespace ablate
