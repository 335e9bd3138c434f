#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/text/json_place.h"
#include "harness/registry/array_operation.h"

namespace ablate::wrapped {

/// What a file of wrapped kernels says of a variant, how it is launched aside; takes its name.
variant_facts read_variant(const reports::json_place&, const std::vector<axis>&,
                           std::set<std::string>& names);

}  // namespace ablate::wrapped
