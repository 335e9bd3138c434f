#pragma once

#include <cstddef>
#include <string>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// An operation's first table: each workload at one size, with the medians, speed-ups and quality of the
/// variants that lead, the fastest in bold; at most `lines`, of many workloads those nearest to the usual one
/// and with the most variants.
std::string headline(const operation_view&, std::size_t lines);

}  // namespace ablate::reports
