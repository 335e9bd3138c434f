#pragma once

#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "reports/best/answer.h"

namespace ablate::best {

/// A line a workload, by operation: what sets it apart from the others shown, its fastest variant, the
/// median, the factor. At most `max_lines` an operation, with the number of those left out.
std::string overview_text(const std::vector<const ranked_workload*>&, std::size_t max_lines,
                          const reports::terminal&);

/// The axes in which these workloads differ, each of one operation.
std::vector<std::string> differing_axes(const std::vector<const ranked_workload*>&);

/// "1.53× global_atomic", or what stands in its place for the reference itself.
std::string factor_text(const ranked_workload&, const reports::ranked_variant&);

/// What the signs in these tables mean, as far as they occur; each a sentence.
std::string legend(const std::vector<const ranked_workload*>&);

}  // namespace ablate::best
