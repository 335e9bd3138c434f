#pragma once

#include <cstddef>

#include "reports/gate/decide.h"

namespace ablate::gate {

/// What a gate leaves beside verdicts on time.
struct gate_failures {
  std::size_t wrong = 0;   ///< cases of the candidate with a wrong result
  std::size_t failed = 0;  ///< cases that did not run to their end
};

/// The design's exit code. What is sure goes before what may be chance: 3 a wrong result; 4 the whole run is
/// INVALID; 1 a case is SLOWER; 75 a case failed to run; 4 a case is INVALID or, if strict, INCONCLUSIVE;
/// otherwise 0. Cases that cannot fail do not count.
int exit_code_of(const gate_decision&, gate_failures, bool strict);

}  // namespace ablate::gate
