#pragma once

#include <vector>

#include "reports/plots/plots.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// Declared FLOP/s against arithmetic intensity by level of memory, in FLOP/byte: of DRAM, of L2 where what
/// the multiprocessors ask of it was counted, and of shared memory where its wavefronts were; without DRAM
/// counters, per declared byte alone. Each under the ceilings of the same run for its bytes and for the pipes
/// of these FLOPs; shared memory has no calibration, so its roof is the peak at the counted clock. One plot
/// per cache state; none for an operation without FLOPs or a run without a ceiling for bytes or FLOPs.
std::vector<plot> roofline_plots(const record&, const operation_view&);

/// One line per variant over all its cases: which floors bind, how far above them it is, and the ratio of
/// counted to declared bytes, FLOPs and atomics (the waste factor). Empty if nothing is known.
table work_table(const operation_view&);

}  // namespace ablate::reports
