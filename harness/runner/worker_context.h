#pragma once

#include "harness/runner/executor.h"
#include "harness/runner/worker_place.h"

namespace ablate {

/// The context of a worker's part of the record: the run's, with what the worker's device knows.
record context_on(executor&, const run_facts&, const worker_place&);

}  // namespace ablate
