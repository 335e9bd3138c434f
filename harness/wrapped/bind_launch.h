#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "harness/wrapped/read_wrapped.h"
#include "kernels/common/launcher.h"
#include "kernels/common/spans.h"

namespace ablate::wrapped {

/// A launch at the axes of one case.
struct bound_launch {
  kernel_launch asked;
  std::vector<argument_facts> facts;
  std::vector<std::array<std::byte, 8>> values;  ///< of each argument, from its first byte on
};

/// Throws std::runtime_error where the kernel is known not to take its arguments, and expression_error where
/// a grid, a block or an argument has no value or one that does not fit.
bound_launch bind_launch(const wrapped_launch&, const spans& arrays);

/// Launches a kernel by a launcher, or describes its launch. Before its first launch the kernel is loaded on
/// the current GPU, and its parameters are asked of the driver; it stays loaded until the process ends.
/// Throws std::runtime_error: no file has code for this GPU or the kernel, or its parameters are others than
/// the arguments.
using launch_loaded_function = void (*)(launcher&, const loadable_kernel&, bound_launch&);

/// Called before main by the CUDA part, if it is linked in.
bool register_launch_loaded(launch_loaded_function);
/// Null in a build without CUDA.
launch_loaded_function find_launch_loaded();

}  // namespace ablate::wrapped
