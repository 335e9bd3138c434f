#pragma once

#include <memory>

#include "harness/runner/executor.h"

namespace ablate {

/// Runs cases on the GPU with CUDA device index `index`. Cases are timed even if counters are unavailable.
/// Throws std::runtime_error if the GPU cannot be used.
std::unique_ptr<executor> make_cuda_executor(int index, const profiling_request&);

}  // namespace ablate
