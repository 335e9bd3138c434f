#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/suite/shards.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What a plan of shards depends on, besides the suite: not on the GPU at hand.
struct shard_request {
  long count = 1;
  std::string filter;
  std::vector<std::filesystem::path> data_directories;
  std::vector<std::filesystem::path> durations;  ///< records whose elapsed times it uses
};

/// Throws bad_input as `expand` and shard_seconds do.
shard_plan plan_shards(const suite&, const target&, const chip&, const shard_request&);

}  // namespace ablate
