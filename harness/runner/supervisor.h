#pragma once

#include <functional>
#include <vector>

#include "harness/runner/journal.h"
#include "harness/runner/worker.h"

namespace ablate {

/// Runs `cases` in a child process and starts another one for the rest whenever that child dies, loses its
/// device or spends more than `case_limit_seconds` in a case, which is then journalled as `failed` or
/// `timeout`. `work` runs in the child. Returns false if the run was interrupted (SIGINT, SIGTERM). Throws
/// std::runtime_error if a child ends before its first case.
bool supervise(std::vector<keyed_case> cases, double case_limit_seconds, journal&,
               const std::function<int(const std::vector<keyed_case>&, worker_progress&)>& work);

}  // namespace ablate
