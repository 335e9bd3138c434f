#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/wrapped/kernel_code.h"

namespace ablate::wrapped {

/// The kernels of a cubin: an ELF file whose sections .nv.info tell each kernel's parameters and registers.
/// Throws bad_input, with the byte, for what is no cubin or ends early.
std::vector<code_kernel> cubin_kernels(std::string_view elf, const std::string& file);

}  // namespace ablate::wrapped
