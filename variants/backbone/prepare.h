#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/backbone/checked_problem.h"

namespace ablate::backbone {

/// A network in all forms of its layers, in a problem without memory.
checked_problem problem_of(const std::function<network(layer_form)>&, const axis_values&);

/// What is given beside the weights: fp16 coordinates; or cells, positions and features; or a block's rows.
struct given_inputs {
  std::vector<std::uint16_t> coordinates, x;
  std::vector<std::int32_t> cells = {};
  std::vector<float> positions = {};
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();  ///< of the cloud
};

/// Weights by name and seed, the check (check.h), host reference, work and facts.
workload prepare(const checked_problem&, given_inputs, const input_library&);

}  // namespace ablate::backbone
