#pragma once

#include <memory>

#include "harness/runner/executor.h"

namespace ablate {

/// Runs cases on the GPU that CUDA counts as `index`. Counters that cannot be had cost no case its time.
/// Throws std::runtime_error when it cannot be used.
std::unique_ptr<executor> make_cuda_executor(int index, const profiling_request&);

}  // namespace ablate
