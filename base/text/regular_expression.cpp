#include "base/text/regular_expression.h"

#include "base/text/bad_input.h"

namespace ablate {

std::regex regular_expression(const std::string& text, const std::string& place) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw bad_input(place, "", "'" + text + "' is not a regular expression; expected ECMAScript syntax");
  }
}

}  // namespace ablate
