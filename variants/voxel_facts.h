#pragma once

#include <nlohmann/json.hpp>

#include "harness/inputs/voxels/cloud.h"

namespace ablate {

/// Adds what is known about the voxels to an operation's facts about its input. A file's points are called
/// `file_points` if the operation has points of its own.
inline void add_facts_of(const voxel_cloud& rows, nlohmann::ordered_json& facts) {
  const bool has_points = facts.contains("points");
  facts["lowest"] = rows.low;
  facts["highest"] = rows.high;
  facts["density"] = rows.density;
  for (const auto& [name, value] : rows.facts)
    facts[has_points && name == "points" ? "file_points" : name] = value;
}

}  // namespace ablate
