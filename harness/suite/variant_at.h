#pragma once

#include "base/text/json_place.h"
#include "harness/registry/operation.h"

namespace ablate {

/// A variant that a suite names, or a point by its spelling. Throws bad_input with the nearest known name.
const variant_facts& variant_at(const reports::json_place&, const operation&);

}  // namespace ablate
