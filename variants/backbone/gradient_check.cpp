#include "variants/backbone/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/common/bf16.h"
#include "oracles/mlp/checked_problem.h"
#include "oracles/row_norm/checked_problem.h"
#include "variants/checked_tensors.h"
#include "variants/row_errors.h"

namespace ablate::backbone {
namespace {

/// A tensor that a gradient step leaves, and its place among the step's comparisons.
struct left_gradient {
  int place;
  std::string name;
  std::int64_t rows, columns;
  double accepted = dense_layers::accepted_of_gradients;

  /// Of a step: what is left is of its level's rows, or was added up over them.
  dense_layers::checked_tensor checked(const network& n, const step& s) const {
    const std::int64_t added_up = n.level_at(s.level).rows;
    return {name, rows, columns, accepted,
            systematic_of_rows(n, s) + (rows == added_up ? 0 : dense_layers::left_by_row_sums(added_up))};
  }
};

template <class Output>
left_gradient left(Output of, const step& s, const char* what, std::int64_t rows, std::int64_t columns) {
  return {static_cast<int>(of), s.name + what, rows, columns};
}

std::vector<left_gradient> gradients_left_by(const network& n, const step& s) {
  const std::int64_t rows = n.level_at(s.level).rows, c = s.channels;
  switch (s.kind) {
    case step_kind::normalize:
      return {{static_cast<int>(row_norm::output::out), s.name, rows, c, dense_layers::accepted_of_outputs}};
    case step_kind::pack:
      return {{0, s.name, rows, 3 * c, dense_layers::accepted_of_outputs}};
    case step_kind::batch_norm:
      return {{static_cast<int>(row_norm::output::out), s.name, rows, c, dense_layers::accepted_of_outputs},
              {static_cast<int>(row_norm::output::statistics), s.name + ", statistics", 4, c,
               dense_layers::accepted_of_outputs}};
    case step_kind::pool:
    case step_kind::unpool_gradient:
      return {{0, s.name, n.level_at(s.level + 1).rows, c, dense_layers::accepted_of_outputs}};
    case step_kind::from_windows_gradient:
      return {{0, s.name, n.level_at(s.level).slots, c, dense_layers::accepted_of_outputs}};
    case step_kind::into_windows_gradient:
      return {{0, s.name, rows, 3 * c, dense_layers::accepted_of_outputs}};
    case step_kind::convolution_gradient: {
      const layer& of = n.layer_at(s.layer);
      std::vector<left_gradient> all = {left(convolution_weights, s, ", weight", of.outputs, of.inputs)};
      if (of.has_bias) all.push_back(left(convolution_bias, s, ", bias", 1, of.outputs));
      if (s.out >= 0) all.push_back(left(convolution_rows, s, ", rows", n.level_at(s.level).real, c));
      return all;
    }
    case step_kind::add_dropped:
    case step_kind::drop_gradient:
    case step_kind::pool_gradient:
    case step_kind::restore_gradient:
      return {{0, s.name, rows, c, dense_layers::accepted_of_outputs}};
    case step_kind::embed_gradient:
      return {{0, s.name, 4, c}};
    case step_kind::batch_gradient:
    case step_kind::norm_gradient:
      return {left(row_norm::output::input_gradient, s, ", rows", rows, c),
              left(row_norm::output::parameter_gradients, s, ", gamma and beta", 2, c)};
    case step_kind::linear_gradient: {
      const layer& of = n.layer_at(s.layer);
      std::vector<left_gradient> all = {
          left(linear::output::weight_gradient, s, ", weight and bias", of.outputs, of.inputs + 1)};
      if (s.out >= 0) all.push_back(left(linear::output::input_gradient, s, ", rows", rows, of.inputs));
      return all;
    }
    case step_kind::mlp_gradient:
      return {left(mlp::output::input_gradient, s, ", rows", rows, c),
              left(mlp::output::first_gradient, s, ", first layer", n.layer_at(s.layer).outputs, c + 1),
              left(mlp::output::second_gradient, s, ", second layer", c, n.layer_at(s.second).inputs + 1),
              left(mlp::output::norm_gradient, s, ", gamma and beta", 2, c)};
    default:
      return {};
  }
}

constexpr const char* names_of_attention[] = {", dQ", ", dK", ", dV"};

std::int64_t attended_rows(const network& n, const step& s) { return n.level_at(s.level).slots * s.heads; }

/// ‖again − before‖ / ‖before‖
double changed_share_of_gradients(const checked_problem& p) {
  const auto change = std::bit_cast<double>(p.facts[squared_gradient_change]),
             all = std::bit_cast<double>(p.facts[squared_gradients]);
  return change == 0 ? 0 : std::sqrt(change / all);
}

struct layer_span {
  std::string name;
  std::size_t first, count;
};
std::vector<layer_span> spans_of_layers(const network& n) {
  std::vector<layer_span> spans;
  for (std::size_t i = 0; i < n.layers.all.size(); ++i) {
    const layer& one = n.layers.all[i];
    const gradient_place& at = n.gradients.of[i];
    const auto outputs = static_cast<std::size_t>(one.outputs), inputs = static_cast<std::size_t>(one.inputs);
    const bool is_linear = one.kind == layer_kind::linear;
    if (is_linear)
      spans.push_back({one.name + ".weight", static_cast<std::size_t>(at.matrix), inputs * outputs});
    if (!is_linear || one.has_bias)
      spans.push_back({one.name + (is_linear ? ".bias" : ".weight and .bias"),
                       static_cast<std::size_t>(at.vectors), (is_linear ? 1 : 2) * outputs});
  }
  return spans;
}

std::vector<double> part_of(const std::vector<double>& all, const layer_span& span) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(span.first);
  return {first, first + static_cast<std::ptrdiff_t>(span.count)};
}

/// Of all parameters, what is between the layers left as it should be.
std::vector<double> seen_gradients(const problem& p, const network& n, const std::vector<double>& exact) {
  std::vector<double> seen = exact;
  for (const layer_span& span : spans_of_layers(n))
    for (std::size_t i = span.first; i < span.first + span.count; ++i)
      seen[i] = static_cast<double>(p.gradients[i]);
  return seen;
}

std::vector<double> seen_x_gradient(const problem& p, std::size_t count) {
  std::vector<double> seen;
  for (std::size_t i = 0; i < count; ++i) seen.push_back(static_cast<double>(float_of_bf16(p.x_gradient[i])));
  return seen;
}

double norm_of(const std::vector<double>& numbers) {
  double squares = 0;
  for (const double x : numbers) squares += x * x;
  return std::sqrt(squares);
}

/// ‖seen − right‖ / ‖right‖, where `right` is not next to nothing beside the `typical` gradient: after a
/// batch norm of one row nothing has one, and what is 0 in whole precision may be rounding here.
double error_of_layer(const std::vector<double>& seen, const std::vector<double>& right, double typical) {
  std::vector<double> apart;
  for (std::size_t i = 0; i < right.size(); ++i) apart.push_back(seen[i] - right[i]);
  const double least = 0x1p-20 * typical * std::sqrt(static_cast<double>(right.size())), off = norm_of(apart);
  return off == 0 ? 0 : off / std::max(norm_of(right), least);
}

}  // namespace

std::optional<std::string> fault_of_gradients_end_to_end(const problem& p, const pass_values& exact,
                                                         const rounding_errors& of_bf16) {
  const network& n = *p.by_library;
  const std::vector<layer_span> spans = spans_of_layers(n);
  const std::vector<double> found =
      errors_of_layers(n, seen_gradients(p, n, exact.gradients), exact.gradients);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const double accepted = 3 * std::max(of_bf16.gradients, of_bf16.layers[i]);
    if (!(found[i] <= accepted))
      return fmt::format(
          "the gradient of {} is off by {:.3e} of its norm, expected at most {:.3e}, "
          "three times what bf16 makes",
          spans[i].name, found[i], accepted);
  }
  if (exact.x_gradient.empty()) return std::nullopt;
  const double error = distance(seen_x_gradient(p, exact.x_gradient.size()), exact.x_gradient),
               accepted = 2 * of_bf16.x_gradient;
  if (!(error <= accepted))
    return fmt::format(
        "the gradient of the rows is off by {:.3e} of its norm, expected at most "
        "{:.3e}, twice what bf16 makes",
        error, accepted);
  return std::nullopt;
}

std::vector<double> errors_of_layers(const network& n, const std::vector<double>& seen,
                                     const std::vector<double>& right) {
  const double typical = norm_of(right) / std::sqrt(static_cast<double>(right.size()));
  std::vector<double> errors;
  for (const layer_span& span : spans_of_layers(n))
    errors.push_back(error_of_layer(part_of(seen, span), part_of(right, span), typical));
  return errors;
}

double error_of_gradients(const problem& p, const pass_values& exact) {
  return distance(seen_gradients(p, *p.by_library, exact.gradients), exact.gradients);
}

std::optional<std::string> fault_of_gradient_step(const checked_problem& p, const network& n, std::size_t i) {
  const step& s = n.steps[i];
  if (s.kind == step_kind::attention_gradient)
    for (int which = 0; which < 3; ++which)
      if (const auto fault = window_attention::fault_of_rows(
              s.name + names_of_attention[which], p.differentiated[i].of[which], attended_rows(n, s),
              window_attention_backward::accepted_row_error))
        return fault;
  for (const left_gradient& one : gradients_left_by(n, s))
    if (const auto fault = dense_layers::fault_of_elements(
            one.checked(n, s), p.found[i * comparisons_of_step + static_cast<std::size_t>(one.place)]))
      return fault;
  return std::nullopt;
}

double worst_of_gradient_step(const checked_problem& p, const network& n, std::size_t i) {
  const step& s = n.steps[i];
  double worst = 0;
  if (s.kind == step_kind::attention_gradient)
    for (const window_attention::deviation& found : p.differentiated[i].of)
      worst = std::max(
          worst, static_cast<double>(found.worst.error) / window_attention_backward::accepted_row_error);
  for (const left_gradient& one : gradients_left_by(n, s))
    worst = std::max(worst,
                     static_cast<double>(
                         p.found[i * comparisons_of_step + static_cast<std::size_t>(one.place)].worst.error));
  return worst;
}

void add_biases_of_gradient_step(const checked_problem& p, const network& n, std::size_t i, worst_bias& to) {
  const step& s = n.steps[i];
  if (s.kind == step_kind::attention_gradient)
    for (const window_attention::deviation& found : p.differentiated[i].of)
      to.add({found.signs, systematic_of_rows(n, s)});
  for (const left_gradient& one : gradients_left_by(n, s))
    to.add(one.checked(n, s).bias_of(p.found[i * comparisons_of_step + static_cast<std::size_t>(one.place)]));
}

double systematic_of_rows(const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  const auto rows = static_cast<double>(std::max(of.rows, of.slots));
  const double padding = rows > 0 ? std::max(0.0, 1 - static_cast<double>(of.real) / rows) : 0;
  const bool has_tanh = s.behind == linear::epilogue::gelu_tanh;
  return accepted_bias_of_bf16 + padding * bias_of_alike(s.channels) +
         (has_tanh ? dense_layers::left_by_tanh : 0);
}

void write_no_gradient_errors(const checked_problem& p, const network& n, std::size_t i) {
  const step& s = n.steps[i];
  const bool attends = s.kind == step_kind::attention_gradient;
  const window_attention::deviation none = window_attention::no_deviation(attends ? attended_rows(n, s) : 0);
  p.differentiated[i] = {{none, none, none}};
  for (const left_gradient& one : gradients_left_by(n, s))
    p.found[i * comparisons_of_step + static_cast<std::size_t>(one.place)] =
        dense_layers::no_errors(one.checked(n, s));
}

std::optional<std::string> fault_of_gradients(const checked_problem& p) {
  if (p.facts[adds_by_atomics] == 0 && p.facts[differing_gradients] != 0)
    return fmt::format("{} gradients differ when the steps are launched once more",
                       p.facts[differing_gradients]);
  if (const double share = changed_share_of_gradients(p); !(share <= accepted_change))
    return fmt::format(
        "gradients are others by {:.3e} of their norm when the steps are launched once "
        "more, expected at most {:.3e}",
        share, accepted_change);
  return std::nullopt;
}

void add_gradient_figures(nlohmann::ordered_json& figures, const checked_problem& p) {
  figures["gradient_bytes"] = p.facts[gradient_bytes];
  figures["changed_gradients"] = p.facts[differing_gradients];
  figures["changed_gradient_share"] = changed_share_of_gradients(p);
}

}  // namespace ablate::backbone
