#pragma once

#include <functional>
#include <memory>

#include "harness/runner/executor.h"
#include "harness/runner/journal.h"
#include "harness/runner/orders.h"
#include "harness/runner/worker_place.h"

namespace ablate {

/// The exit code by which a worker requests a fresh process because it has lost the device.
constexpr int exit_device_lost = 86;

using make_executor_function = std::function<std::unique_ptr<executor>()>;

/// Runs the cases that it is told to, one by one, each as a Google Benchmark benchmark of one iteration, and
/// journals each as it ends; or measures its neighbors' influence and journals that, or is such a neighbor.
/// Returns an exit code: 0, or exit_device_lost.
int run_cases(const run_facts&, const worker_place&, const make_executor_function&, const order_line&,
              journal&);

}  // namespace ablate
