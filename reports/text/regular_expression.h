#pragma once

#include <regex>
#include <string>

namespace ablate {

/// What somebody gave as a regular expression (ECMAScript). Throws bad_input, which names `place`, the option
/// or argument, where it is none.
std::regex regular_expression(const std::string& text, const std::string& place);

}  // namespace ablate
