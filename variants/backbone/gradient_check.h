#pragma once

#include <optional>
#include <string>

#include "kernels/backbone/backbone.h"
#include "variants/backbone/check.h"

// The check of training: gradient steps, all gradients once more, and end to end.

namespace ablate::backbone {

/// What is wrong with what a gradient step left, if anything.
std::optional<std::string> fault_of_gradient_step(const problem&, const network&, std::size_t step);
/// The greatest error of an element or a row of it, in what is accepted.
double worst_of_gradient_step(const problem&, const network&, std::size_t step);
/// Fills what read_back finds where there is none.
void write_no_gradient_errors(const problem&, const network&, std::size_t step);

/// What is wrong with all gradients, if anything: others when the steps are launched once more, by at most
/// accepted_change of their norm where sums are by atomics; and, where the oracle computes them, a block's
/// rows' twice as far off as bf16 makes them, and a layer's three times: it has few elements, whose roundings
/// depend on each other.
std::optional<std::string> fault_of_gradients(const problem& host, const known_inputs&);

/// Figures of training.
void add_gradient_figures(nlohmann::ordered_json&, const problem& host, const known_inputs&);

}  // namespace ablate::backbone
