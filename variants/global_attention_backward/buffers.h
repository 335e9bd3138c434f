#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/global_attention_backward/checks.h"

// The buffers of any layer that is trained, after those of its forward pass.

namespace ablate::global_attention_backward {

bound_buffers gradients_of(const global_attention::layer& forward, backward_pass&);  ///< dO, dQ, dK, dV
/// So many samples, and what `sampled` of them hold of each gradient.
bound_buffers samples_of(checks&, std::int64_t samples);
bound_buffers sampled_gradients_of(checks&, std::int64_t sampled);

}  // namespace ablate::global_attention_backward
