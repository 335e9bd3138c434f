#pragma once

#include <cstddef>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// A gate's failures other than its timing verdicts.
struct gate_failures {
  std::size_t wrong = 0;    ///< cases of the candidate with a wrong result
  std::size_t failed = 0;   ///< cases that did not run to completion
  std::size_t missing = 0;  ///< comparisons that should have been made and were not
};

/// Number of cases that can fail and were found FASTER, SAME or SLOWER.
std::size_t judged_cases(const gate_decision&);

/// The gate's exit code. Certain failures take precedence over what may be chance: 3 a wrong result; 4 the
/// whole run is INVALID; 1 a case is SLOWER; 75 a case failed to run; 4 no case was judged, a case is INVALID
/// or, if strict, INCONCLUSIVE or missing; otherwise 0. Cases that cannot fail do not count.
int exit_code_of(const gate_decision&, gate_failures, bool strict);

}  // namespace ablate::gate
