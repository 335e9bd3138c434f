#pragma once

#include "harness/suite/suite.h"
#include "reports/text/json_place.h"

namespace ablate {

/// The question of a suite whose blocks and point files have been read: every name in it is one of this
/// build's, values are spelled as in records, and the suite runs some variant of each family. Throws
/// bad_input.
suite_question checked_question(const reports::json_place&, const suite&);

}  // namespace ablate
