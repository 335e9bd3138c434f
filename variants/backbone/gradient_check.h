#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracles/backbone/checked_problem.h"
#include "variants/backbone/check.h"
#include "variants/bias_figures.h"

// The check of training: gradient steps, all gradients again, and end to end.

namespace ablate::backbone {

/// What is wrong with what a gradient step left, if anything.
std::optional<std::string> fault_of_gradient_step(const checked_problem&, const network&, std::size_t step);
/// The greatest error of an element or a row of it, in what is accepted.
double worst_of_gradient_step(const checked_problem&, const network&, std::size_t step);
/// Adds the bias of each of its tensors.
void add_biases_of_gradient_step(const checked_problem&, const network&, std::size_t step, worst_bias& to);
/// What the roundings of a correct step may leave in the mean over its rows; those of padding are
/// alike.
double systematic_of_rows(const network&, const step&);
/// Fills what compare_steps finds where there is none.
void write_no_gradient_errors(const checked_problem&, const network&, std::size_t step);

/// What is wrong with all gradients, if anything: others when the steps are launched again, by at most
/// accepted_change of their norm where sums are by atomics.
std::optional<std::string> fault_of_gradients(const checked_problem& host);
/// The same against the oracle: a block's rows' at most twice as far off as bf16 makes them, and a layer's
/// three times, since its few elements have dependent roundings.
std::optional<std::string> fault_of_gradients_end_to_end(const problem& host, const pass_values& exact,
                                                         const rounding_errors& of_bf16);

/// ‖seen − right‖ / ‖right‖ of each layer's part of all parameters' gradients.
std::vector<double> errors_of_layers(const network&, const std::vector<double>& seen,
                                     const std::vector<double>& right);
/// That of all of them together.
double error_of_gradients(const problem& host, const pass_values& exact);

/// Figures of training.
void add_gradient_figures(nlohmann::ordered_json&, const checked_problem& host);

}  // namespace ablate::backbone
