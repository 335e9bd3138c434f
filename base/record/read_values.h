#pragma once

#include <string>
#include <vector>

#include "base/text/json_place.h"

namespace ablate {

/// Throws bad_input for anything but a list of texts.
std::vector<std::string> texts_of(const reports::json_place&);

}  // namespace ablate
