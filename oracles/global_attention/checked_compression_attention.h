#pragma once

#include "oracles/compression_attention/checked_problem.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::global_attention {

/// A layer's attention among rows, with what its comparison needs; `found` may be null.
compression_attention::checked_problem checked_attention(const compression_attention::problem&, const checks&,
                                                         compression_attention::findings* found);

}  // namespace ablate::global_attention
