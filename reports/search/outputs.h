#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/terminal.h"
#include "reports/search/result.h"

namespace ablate::search {

/// The winner, the sentence that says whether it is proven, and its neighbors.
std::string result_text(const result&, const reports::terminal&);

/// All of it (reports/schema/search.schema.json). What is unknown is null.
nlohmann::ordered_json result_json(const result&);

/// What was measured, in the T4 format of results: a configuration for each point, times in microseconds.
nlohmann::ordered_json t4_json(const result&);

/// The space, as the `ConfigurationSpace` of the T1 format: each switch with its values, and the combinations
/// that are points. The kernel's specification only names the operation; Ablate launches it.
nlohmann::ordered_json t1_json(const result&);

}  // namespace ablate::search
