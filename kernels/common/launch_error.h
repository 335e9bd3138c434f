#pragma once

#include <stdexcept>

namespace ablate {

/// A launch that the CUDA runtime rejected, or that a launch function refuses (refuse_launch.h); what() names
/// the kernel, its geometry and the runtime's error, or what was expected.
struct launch_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ablate
