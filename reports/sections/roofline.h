#pragma once

#include <vector>

#include "reports/plots/plots.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// Declared FLOP/s against declared FLOPs per byte moved by DRAM, under the ceilings of the same run for the
/// pipes of these FLOPs; without DRAM counters, per declared byte. One plot per cache state; none for an
/// operation without FLOPs or a run without a ceiling for bytes or FLOPs.
std::vector<plot> roofline_plots(const record&, const operation_view&);

/// One line per variant over all its cases: which floors bind, how far above them it is, and the ratio of
/// counted to declared bytes, FLOPs and atomics (the waste factor). Empty if nothing is known.
table work_table(const operation_view&);

}  // namespace ablate::reports
