#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "reports/claims/claims_ledger.h"

namespace ablate {

/// Where the figures of a claim on the n-th device are; nothing for a verdict without a link.
using claim_link = std::function<std::string(std::size_t device, const claim&)>;

/// In Markdown: how many verdicts of each kind each device has, published statements and our own apart, and a
/// row for each claim that one of them judges, with a verdict for each device. None of it joins two devices.
std::string chips_markdown(const std::vector<claim_ledger>&, const claim_link&);

}  // namespace ablate
