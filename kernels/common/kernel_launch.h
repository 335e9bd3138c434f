#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/common/launch_error.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// One kernel launch as the host keeps it.
struct kernel_launch : launch_request {
  std::string symbol = {};  ///< of a kernel from a library or a file: its mangled name, or the library's
  /// The address of each parameter, only while a describing launcher announces the launch; else null.
  void** arguments = nullptr;
};

struct kernel_launches : std::vector<kernel_launch> {
  using vector::vector;
};

/// What a launcher announces its launches to.
struct launch_listener : std::function<void(const kernel_launch&)> {
  using function::function;
};

}  // namespace ablate
