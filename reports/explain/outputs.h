#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/explain/explanation.h"

namespace ablate::explain {

/// For a terminal. `all_counters` adds every counter that the record has of the case.
std::string explanation_text(const explanation&, bool all_counters);

/// Everything, all counters too; what is unknown is null. As reports/schema/explain.schema.json has it.
nlohmann::ordered_json explanation_json(const explanation&);

}  // namespace ablate::explain
