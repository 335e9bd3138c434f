#pragma once

#include "base/record/old_names.h"
#include "reports/claims/claims.h"

namespace ablate {

/// Gives the variants and switches of a selection the names of today (old_names.h), and says so on stderr.
/// What no one switch of today says, or one that is named beside it, stays as it is, and is refused as an
/// unknown name.
void give_todays_names(claim_selection&, const old_names& = old_names::known());

}  // namespace ablate
