#pragma once

#include <vector>

#include "reports/claims/claims.h"
#include "reports/claims/claims_judge.h"

namespace ablate {

/// Throws bad_input, with the nearest name, for a name in a claim that neither this program nor one of the
/// records knows: such a claim would never be measured, and nobody would notice. One that waits may name what
/// does not exist yet.
void check_names(const std::vector<claim>&, const std::vector<claim_evidence>&);

}  // namespace ablate
