#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// A gate's failures other than its timing verdicts.
struct gate_failures {
  std::size_t wrong = 0;     ///< cases of the candidate with a wrong result
  std::size_t failed = 0;    ///< cases that did not run to completion
  std::size_t gone = 0;      ///< cases of the baseline that the candidate does not measure, or not alike
  std::size_t unjudged = 0;  ///< cases without a decision that should have one, those gone among them
  std::size_t missing = 0;   ///< all comparisons that should have been made and were not
};

/// Number of cases that can fail and were found FASTER, SAME or SLOWER.
std::size_t judged_cases(const gate_decision&);

/// Why a gate that found nothing SLOWER has not passed, in one line: a case that looked slower was not
/// cleared, a case is gone, or too few were judged. Nothing if none of that holds.
std::optional<std::string> why_open(const gate_decision&, const gate_policy::pass_rules&,
                                    const gate_failures&);

/// The gate's exit code. Certain failures take precedence over what may be chance: 3 a wrong result; 4 the
/// whole run is INVALID; 1 a case is SLOWER; 75 a case failed to run; 4 no case was judged or a case is
/// INVALID; the policy's code where something is open; 4, if strict, where a case is INCONCLUSIVE or a
/// comparison missing; otherwise 0. Cases that cannot fail do not count.
int exit_code_of(const gate_decision&, const gate_policy::pass_rules&, const gate_failures&, bool strict);

}  // namespace ablate::gate
