#pragma once

#include "reports/exhibits/shown_exhibit.h"

namespace ablate::reports {

/// SM active, issue, tensor activity and DRAM reads of sampled forwards against the number of points: solid
/// with the gaps between kernels, dashed over busy time alone. The table has each forward with its deviation,
/// busy share, what counters say of its kernels, and what sampling cost.
std::optional<shown_exhibit> activity_figure(const record&, const suite_exhibit&);

}  // namespace ablate::reports
