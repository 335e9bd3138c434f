#pragma once

#include <string>
#include <utility>

#include "kernels/common/switches.h"

namespace ablate {

/// A name and its word: what going through switches meets.
struct switch_entry : std::pair<std::string, std::string> {
  using pair::pair;
};

}  // namespace ablate
