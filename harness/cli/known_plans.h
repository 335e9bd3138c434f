#pragma once

#include <optional>

#include "reports/verify/verify.h"

namespace ablate {

/// What the suite of a record plans, if suites/ beside the program has the very file that the record was made
/// of: for verify::held_against.
std::optional<verify::known_plan> known_plan_of(const nlohmann::ordered_json& facts);

}  // namespace ablate
