#pragma once

#include <vector>

#include "base/record/record.h"
#include "harness/runner/run.h"
#include "harness/suite/shards.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The run's record without its cases and what only the device knows: `device`, `evidence`, `counters`. It is
/// the same for all shards of a plan, whose `cases` are of all of them.
record context_of(const suite&, const run_options&, const std::vector<suite_case>& cases, const shard_plan&);

}  // namespace ablate
