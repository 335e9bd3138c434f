#pragma once

#include <functional>
#include <memory>

#include "harness/registry/operation.h"
#include "kernels/global_attention_backward/global_attention_backward.h"

// What preparing any layer that is trained has in common.

namespace ablate::global_attention_backward {

/// Both passes' contents, checks, figures and inputs in one. The forward pass has the first buffers;
/// `backward` gets all of them, and is judged where the forward pass is right.
workload behind(const std::shared_ptr<const workload>& forward, workload backward);

/// `of_gates`: bytes read, and written as gradients.
work_model work_of(const global_attention::layer& forward, phase, const work_model& of_forward,
                   double of_gates = 0);

/// Device memory that a layer needs, forward and backward, if it hands on nothing: Q, K, V and O; dO,
/// dQ, dK and dV; the log-sum-exp.
double modelled_bytes(const global_attention::layer& forward);

/// That, and the pairs of tokens: for dense attention of other lengths, whose time is in proportion to these.
nlohmann::ordered_json input_facts(const global_attention::layer& forward, double modelled_bytes);

}  // namespace ablate::global_attention_backward
