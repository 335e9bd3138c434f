#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ablate {

/// The cases of a plan in its order, without calibrations, each with its shard, from 1.
using planned_cases = std::vector<std::pair<std::string, long>>;

/// `context.ablate.shard.plan` of a record: equal for all shards of one plan. `about` is what the plan is
/// about: the suite's hash, a bar, and the hashes of its point files.
std::string plan_hash(const std::string& about, long count, const planned_cases&);

}  // namespace ablate
