#pragma once

#include <string>
#include <vector>

#include "base/text/json_place.h"
#include "reports/claims/claims.h"

namespace ablate {

/// A quantity as written in claims files (docs/claims.md). `pointer` is its location, for later messages.
/// `models`: those that it may name. Throws bad_input as read_claims does.
claim_quantity read_quantity(const reports::json_place&, const std::string& pointer,
                             const std::vector<claim_model>& models = {});

}  // namespace ablate
