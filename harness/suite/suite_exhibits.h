#pragma once

#include "base/text/json_place.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The exhibits of a suite whose blocks and point files have been read: variants, axes and values are this
/// build's, the operations are run by the suite, and the cases of a curve of ours are sampled. Throws
/// bad_input.
std::vector<suite_exhibit> checked_exhibits(const reports::json_place&, const suite&);

}  // namespace ablate
