#pragma once

#include "oracles/psh_bucket/properties/instance.h"

namespace ablate::psh_bucket {

/// P5: every point is in its row, which knows it; all other rows are padding.
violation rows_violated(const problem&);

}  // namespace ablate::psh_bucket
