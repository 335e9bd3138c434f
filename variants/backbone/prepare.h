#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

/// A network in all forms of its layers, in a problem without memory.
problem problem_of(const std::function<network(layer_form)>&, const axis_values&);

/// What is given beside the weights: fp16 coordinates, and the ends of instances at each level; or a block's
/// rows.
struct given_inputs {
  std::vector<std::uint16_t> coordinates, x;
};

/// Weights by name and seed, the check (check.h), host reference, work and facts.
workload prepare(const problem&, given_inputs, const input_library&);

}  // namespace ablate::backbone
