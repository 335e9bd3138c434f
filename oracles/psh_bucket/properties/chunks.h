#pragma once

#include "oracles/psh_bucket/checked_problem.h"
#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/properties/instance.h"

namespace ablate::psh_bucket {

/// P10, by as many bits as the variant says.
violation chunks_violated(const checked_problem&, const instance&, const bounding_box&);

}  // namespace ablate::psh_bucket
