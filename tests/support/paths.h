#pragma once

#include <string>
#include <string_view>

namespace ablate::test_support {

/// The path of `inside`, relative to the root of this tree, on this machine; the root for nothing.
std::string source_path(std::string_view inside = "");

/// The program `ablate` of this build.
const std::string& program_path();

/// The C++ compiler of this build.
const std::string& compiler_path();

/// The folder that holds the headers of the package as <ablate/...>.
const std::string& public_headers_path();

}  // namespace ablate::test_support
