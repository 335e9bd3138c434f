#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include "harness/wrapped/read_wrapped.h"
#include "kernels/common/kernel_launch.h"
#include "kernels/common/spans.h"

namespace ablate::wrapped {

/// A launch at the axes of one case.
struct bound_launch {
  kernel_launch asked;
  std::vector<argument_facts> facts;
  std::vector<std::array<std::byte, 8>> values;  ///< of each argument, from its first byte on
};

/// Throws expression_error where a grid, a block or an argument has no value or one that does not fit.
bound_launch bind_launch(const wrapped_launch&, const spans& arrays);

/// What launches code from files; absent in a build without CUDA.
struct launch_backend {
  /// Launches a kernel by a launcher, or describes its launch. Before its first launch the kernel is loaded
  /// on the current GPU, and its parameters are asked of the driver; it stays loaded until the process ends.
  /// Throws std::runtime_error: no file has code for this GPU or the kernel, or its parameters are others
  /// than the arguments.
  void (*launch)(launcher&, const loadable_kernel&, bound_launch&) = nullptr;
  /// Calls what launches its own kernels on a CUDA stream, as launcher::call does.
  void (*call)(launcher&, const char* name, const std::function<void(void* stream)>&) = nullptr;
};

/// Called before main by the CUDA part, if it is linked in.
bool register_launch_backend(launch_backend);
/// Null in a build without CUDA.
const launch_backend* find_launch_backend();

}  // namespace ablate::wrapped
