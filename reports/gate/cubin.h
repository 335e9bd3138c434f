#pragma once

#include <string_view>

#include "reports/gate/machine_code.h"

namespace ablate::gate {

/// The kernels of a cubin, by mangled name. Throws std::runtime_error for a file that is not ELF or ends
/// early.
std::map<std::string, kernel_machine_code> kernels_in(std::string_view cubin);

}  // namespace ablate::gate
