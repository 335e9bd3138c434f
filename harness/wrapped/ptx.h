#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/wrapped/kernel_code.h"

namespace ablate::wrapped {

/// The kernels of a PTX file: each `.entry` with its parameters. Throws bad_input, with the line.
std::vector<code_kernel> ptx_kernels(std::string_view text, const std::string& file);

}  // namespace ablate::wrapped
