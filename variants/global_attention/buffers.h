#pragma once

#include <initializer_list>

#include "harness/registry/bound_buffers.h"
#include "oracles/global_attention/checked_layer.h"

// The buffers of any layer of global attention. They are too large for the host: inputs are made on the
// device, and the check reads how far each part is from plain arithmetic, and samples.

namespace ablate::global_attention {

bound_buffers tensors_of(layer&);        ///< q, k, v
bound_buffers outputs_of(layer&);        ///< O and the log-sum-exp
bound_buffers samples_of(checks&);       ///< which rows
bound_buffers sampled_rows_of(checks&);  ///< what these hold

/// One after the other.
bound_buffers joined(std::initializer_list<bound_buffers>);

}  // namespace ablate::global_attention
