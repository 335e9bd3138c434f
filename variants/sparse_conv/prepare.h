#pragma once

#include "harness/registry/operation.h"
#include "oracles/sparse_conv/checked_problem.h"
#include "variants/sparse_conv/map.h"

namespace ablate::sparse_conv {

/// A layer's inputs, on the host.
struct layer_inputs {
  std::vector<std::uint16_t> x, weights, out_gradient;
  std::vector<float> bias;
};

/// x and dY uniform in [−1, 1), weights and bias in ±1/√(offsets · in channels), PyTorch's default.
layer_inputs generated_inputs(const checked_problem&, std::uint64_t seed);

/// The weights as [offsets][out channels][in channels].
std::vector<std::uint16_t> by_offset(const checked_problem&, const std::vector<std::uint16_t>& weights);

/// Which map the axes name.
map_request map_request_at(const axis_values&);

/// Rows that the check reads directly: all of a small case's.
std::int64_t sample_count(const checked_problem&);

workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::sparse_conv
