#pragma once

#include <string>

#include "reports/claims/claims.h"
#include "reports/text/json_place.h"

namespace ablate {

/// A quantity as files of claims write it (docs/claims.md). `pointer` is where it stands, for later messages.
/// Throws bad_input as read_claims does.
claim_quantity read_quantity(const reports::json_place&, const std::string& pointer);

}  // namespace ablate
