#pragma once

#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "reports/best/answer.h"

namespace ablate::best {

/// A line a workload, by operation: what sets it apart from the others shown, its best variant, the
/// median, the factor; unless variants are ranked by time, the energy too. At most `max_lines` an operation,
/// with the number of those left out.
std::string overview_text(const std::vector<const ranked_workload*>&, std::size_t max_lines,
                          const reports::terminal&);

/// The axes in which these workloads differ, each of one operation.
std::vector<std::string> differing_axes(const std::vector<const ranked_workload*>&);

/// "1.53× global_atomic", or what is shown instead for the reference itself.
std::string factor_text(const ranked_workload&, const reports::ranked_variant&);

/// Of the column of factors, which are of time whatever variants are ranked by.
std::string factor_heading(reports::merit);

/// "12.50 ± 0.40", in mJ; empty without energy.
reports::terminal_cell energy_cell(const reports::ranked_variant&);

/// What the signs in these tables mean, as far as they occur; each a sentence.
std::string legend(const std::vector<const ranked_workload*>&);

}  // namespace ablate::best
