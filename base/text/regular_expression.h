#pragma once

#include <regex>
#include <string>

namespace ablate {

/// Compiles a regular expression from user input (ECMAScript). Throws bad_input naming `place`, the option or
/// argument, if it is invalid.
std::regex regular_expression(const std::string& text, const std::string& place);

}  // namespace ablate
