#pragma once

#include <nlohmann/json.hpp>

#include "harness/inputs/voxels/cloud.h"

namespace ablate {

/// Adds to an operation's facts of its input what is known of the voxels that it works on. A file's points
/// are `file_points` where the operation has points of its own.
inline void add_facts_of(const voxel_cloud& rows, nlohmann::ordered_json& facts) {
  const bool has_points = facts.contains("points");
  facts["lowest"] = rows.low;
  facts["highest"] = rows.high;
  facts["density"] = rows.density;
  for (const auto& [name, value] : rows.facts)
    facts[has_points && name == "points" ? "file_points" : name] = value;
}

}  // namespace ablate
