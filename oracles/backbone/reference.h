#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/backbone/backbone.h"

// The oracle of whole passes, for networks small enough: naive loops in fp64, step by step.

namespace ablate::backbone {

/// Where values are rounded: nowhere; or to bf16 wherever a variant stores them, or multiplies them by tensor
/// cores.
enum class rounding { none, bf16 };

/// The output of a pass on the index, inputs and weights that the problem has, host pointers all: [points or
/// rows][channels].
std::vector<double> reference_output(const problem&, const network&, rounding);

/// That, and in training the gradients: of a block's rows, as `x_gradient`, and of all parameters, as
/// `gradients`.
struct pass_values {
  std::vector<double> out = {}, x_gradient = {}, gradients = {};
};
/// `draw`: which roundings (rounder.h).
pass_values reference_pass(const problem&, const network&, rounding, std::uint64_t draw = 0);

/// Sees each step before it is computed, with all numbers of the tensors that it reads.
using step_watcher = std::function<void(const step&, const std::vector<std::vector<double>>& tensors)>;
pass_values reference_pass(const problem&, const network&, rounding, const step_watcher&);

/// Makes the index on the host: points sorted by z key (stable), or hashed; clusters by pool's oracle.
void make_index(const problem&, const network&);

/// Why the index that a problem has is not a right one, or an empty text. Points: each in one row of its
/// instance; where they are cut by key, ascending by its leading bits. Coordinates, and PTv3's cells and
/// positions: of the points. Clusters: pool's oracle on these.
std::string violated_index(const problem&, const network&);

/// ‖a − b‖ / ‖b‖
double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ablate::backbone
