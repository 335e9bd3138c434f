#pragma once

#include "base/text/json_place.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The ladder of a suite whose blocks and point files have been read: its words are this build's, the first
/// step names every axis of the operation, and the suite runs the case of each step and control. Throws
/// bad_input.
suite_ladder checked_ladder(const reports::json_place&, const suite&);

}  // namespace ablate
