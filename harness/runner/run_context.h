#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "harness/runner/run.h"
#include "harness/suite/shards.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The context of the run's record, except for what only the device knows: `device`, `evidence`, `counters`.
/// It is the same for all shards of a plan, whose `cases` are of all of them.
nlohmann::ordered_json context_of(const suite&, const run_options&, const std::vector<suite_case>& cases,
                                  const shard_plan&);

}  // namespace ablate
