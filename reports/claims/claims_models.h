#pragma once

#include <cstddef>
#include <string>

#include "reports/claims/claims_ledger.h"

namespace ablate {

/// In Markdown: each model with its assumptions, and a row for each figure of the claims about it: what was
/// measured of a layer, what the model makes of it, and what was published. Empty without such figures.
/// `device`: its place among the ledgers.
std::string models_markdown(const claim_ledger&, std::size_t device);

}  // namespace ablate
