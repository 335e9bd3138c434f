#pragma once

#include <string>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// An operation's first table: each workload at one size, with its variants' medians, speed-ups and quality;
/// of many workloads, those nearest to the usual one, with the others folded away.
std::string headline(const operation_view&);

}  // namespace ablate::reports
