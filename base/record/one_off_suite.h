#pragma once

#include <string>

namespace ablate {

/// What a run without a suite's file calls its suite.
inline std::string one_off_suite_name(const std::string& operation) { return "adhoc_" + operation; }

}  // namespace ablate
