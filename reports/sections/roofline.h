#pragma once

#include <vector>

#include "reports/plots/plots.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// Declared FLOP/s against declared FLOPs for each byte that DRAM moved, under the ceilings of the same run
/// that belong to the pipes of these FLOPs; of a page without counters of DRAM, for each declared byte. One
/// plot a cache state; none for an operation without FLOPs or in a run without a ceiling of bytes or of
/// FLOPs.
std::vector<plot> roofline_plots(const record&, const operation_view&);

/// A line a variant over all its cases: which floors bind and how far above them it is, and how many times as
/// many bytes, FLOPs and atomics were counted as are declared (the waste factor). Empty where nothing is
/// known.
table work_table(const operation_view&);

}  // namespace ablate::reports
