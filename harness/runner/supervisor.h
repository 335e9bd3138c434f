#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner/journal.h"
#include "harness/runner/orders.h"
#include "harness/runner/work_queue.h"
#include "harness/runner/worker.h"

namespace ablate {

/// How a worker is started, as often as its device takes.
struct worker_process {
  std::string specimen;                        ///< run_identity.h
  std::string name;                            ///< of its device, for messages
  std::function<int(const order_line&)> work;  ///< run in a fork of this process; gives its exit code
};

/// How a supervised run ended.
struct supervised {
  bool interrupted = false;
  std::vector<std::string> lost;  ///< names of the devices that went out of service
};

/// Runs `cases`, packaged in `queue`, in a process per worker, and starts another one whenever a process
/// dies, loses its device or spends more than `case_limit_seconds` in a case, which is then journalled as
/// `failed` or `timeout`; the new one goes on with the rest of the package. A device on which two processes
/// in a row do not come to their first case is out of service: its package begins again on another one, and
/// what it measured of it counts no more. If `neighbors` is given, and the devices have calibrations for it,
/// what they do to each other is measured between the calibrations and the bundles, where each waits for the
/// others, unless the board says that it is known; and once more after the last bundle. One thread looks
/// after all workers, since a child ends with the thread that forked it.
///
/// Ends when nothing is left that a worker may run, or at SIGINT or SIGTERM. Throws std::runtime_error if no
/// device is left.
supervised supervise(const std::vector<keyed_case>& cases, work_queue queue, double case_limit_seconds,
                     journal&, const std::vector<worker_process>&, std::span<worker_progress>,
                     neighbor_board* neighbors = nullptr);

}  // namespace ablate
