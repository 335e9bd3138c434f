#pragma once

#include "oracles/compression_attention/checked_problem.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// compression_of, with what its comparison needs.
compression_attention::checked_problem checked_compression_of(const checked_problem&);

}  // namespace ablate::gated_attention
