#pragma once

#include <set>
#include <string>

#include "base/text/json_place.h"
#include "harness/registry/axis.h"

namespace ablate::wrapped {

/// An axis of a file of wrapped kernels; takes its name, which none before it may have.
axis read_axis(const reports::json_place&, std::set<std::string>& names);

}  // namespace ablate::wrapped
