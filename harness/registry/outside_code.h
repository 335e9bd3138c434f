#pragma once

#include <string>
#include <vector>

#include "harness/version.h"

namespace ABLATE_ABI {

/// Where an operation of this process comes from that was not built into the program: a file of wrapped
/// kernels, a plugin.
struct outside_code {
  std::string file;  ///< as the user named it
  std::string hash;  ///< of it and all that it names: 16 hex digits
};

/// Called beside register_operation.
void register_outside_code(const std::string& operation, outside_code);
/// Null for an operation of the program's own.
const outside_code* find_outside_code(const std::string& operation);

}  // namespace ABLATE_ABI
