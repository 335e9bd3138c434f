#pragma once

#include "base/text/json_place.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The question of a suite whose blocks and point files have been read: every name in it is one of this
/// build's, values are spelled as in records, and the suite runs some variant of each family. Throws
/// bad_input.
suite_question checked_question(const reports::json_place&, const suite&);

}  // namespace ablate
