#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/explain/explanation.h"

namespace ablate::explain {

/// For a terminal. `all_counters` adds every counter that the record has for the case.
std::string explanation_text(const explanation&, bool all_counters);

/// Everything, including all counters; unknown values are null. Follows reports/schema/explain.schema.json.
nlohmann::ordered_json explanation_json(const explanation&);

}  // namespace ablate::explain
