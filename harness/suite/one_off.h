#pragma once

#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace ablate {

/// The suite of a run without a file: all variants of an operation at the default values of its axes, with
/// the values that `assignments` give (override.h) in their place. As text, for a file: `read_suite_text`
/// makes the same of both. Its name is adhoc_OPERATION. Throws bad_input as `overridden` does.
std::string one_off_suite_text(const operation&, const std::vector<std::string>& assignments);

}  // namespace ablate
