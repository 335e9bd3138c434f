#include "variants/backbone/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/backbone/work.h"
#include "kernels/common/bf16.h"
#include "oracles/backbone/arena_check.h"
#include "oracles/backbone/gradient_paths.h"
#include "variants/backbone/gradient_check.h"
#include "variants/checked_tensors.h"
#include "variants/row_errors.h"

namespace ablate::backbone {
namespace {

const level& level_of(const network& n, int l) { return n.levels[static_cast<std::size_t>(l)]; }

/// Of a step that a library computes layer by layer (norm, product, activation), each adds an error of its
/// own, independent of the others'.
double accepted_of(const step& s) {
  const int layers = 1 + (s.normed >= 0 ? 1 : 0) + (s.product >= 0 ? 1 : 0);
  return dense_layers::accepted_of_outputs * std::sqrt(layers);
}

/// What a step writes.
dense_layers::checked_tensor written(const network& n, const step& s) {
  std::int64_t rows = level_of(n, s.level).rows, columns = s.channels;
  if (s.kind == step_kind::reduce) rows = level_of(n, s.level + 1).rows;
  if (s.kind == step_kind::restore || s.kind == step_kind::take) rows = n.points();
  if (s.kind == step_kind::into_windows) rows = level_of(n, s.level).slots;
  if (s.kind == step_kind::enter_windows) rows += level_of(n, s.level).slots;
  if (s.kind == step_kind::leave_windows && s.next >= 0) rows *= 2;
  if (s.kind == step_kind::clear)
    return {s.name, n.tensors[static_cast<std::size_t>(s.scratch)].bytes / 4, 1, accepted_of(s)};
  if (s.kind == step_kind::convolve) {
    rows = level_of(n, s.level).real;
    columns = n.layer_at(s.layer).outputs;
  }
  if (s.kind == step_kind::linear) {
    rows = n.rows_of(s);
    columns = n.layer_at(s.layer).outputs;
    if (s.behind == linear::epilogue::swiglu) columns /= 2;
  }
  return {s.name, rows, columns, accepted_of(s)};
}

/// As its comparison sees it.
dense_layers::checked_tensor compared(const network& n, const step& s) {
  dense_layers::checked_tensor tensor = written(n, s);
  tensor.systematic = systematic_of_rows(n, s);
  return tensor;
}

std::int64_t attending_rows(const network& n, const step& s) { return level_of(n, s.level).slots * s.heads; }

/// Of its elements or rows alone. Of the mean over them a record tells, but it is not judged: rows of a level
/// with few voxels and rows of padding repeat, and so do their errors. The operations that a step launches
/// judge it, on rows of their own.
std::optional<std::string> fault_of_step(const checked_problem& p, const network& n, std::size_t i) {
  const step& s = n.steps[i];
  if (is_index(s.kind)) return std::nullopt;
  if (n.is_of_training(s)) return fault_of_gradient_step(p, n, i);
  if (s.kind != step_kind::attention)
    return dense_layers::fault_of_elements(compared(n, s), p.found[i * comparisons_of_step]);
  const window_attention::deviations& of = p.attended[i];
  if (const auto fault = window_attention::fault_of_rows(s.name, of.out, attending_rows(n, s),
                                                         window_attention::accepted_row_error))
    return fault;
  return window_attention::fault_of_rows(s.name + "'s log-sum-exp", of.lse, attending_rows(n, s),
                                         window_attention::accepted_lse_error);
}

/// The worst bias of what a step leaves.
worst_bias worst_bias_of(const checked_problem& p, const network& n) {
  worst_bias worst;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    const step& s = n.steps[i];
    if (is_index(s.kind)) continue;
    if (n.is_of_training(s)) {
      add_biases_of_gradient_step(p, n, i, worst);
    } else if (s.kind == step_kind::attention) {
      worst.add({p.attended[i].out.signs, systematic_of_rows(n, s)});
      worst.add({p.attended[i].lse.signs, systematic_of_rows(n, s)});
    } else {
      worst.add(compared(n, s).bias_of(p.found[i * comparisons_of_step]));
    }
  }
  return worst;
}

/// The greatest error of an element or a row of a step, in what is accepted.
double worst_of(const checked_problem& p, const network& n) {
  double worst = 0;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    const step& s = n.steps[i];
    if (is_index(s.kind)) continue;
    const double error =
        n.is_of_training(s) ? worst_of_gradient_step(p, n, i)
        : s.kind == step_kind::attention
            ? static_cast<double>(p.attended[i].out.worst.error) / window_attention::accepted_row_error
            : static_cast<double>(p.found[i * comparisons_of_step].worst.error);
    worst = std::max(worst, error);
  }
  return worst;
}

/// A form that is none, which the check finds, counts as the first.
const network& network_of_facts(const checked_problem& p) {
  const std::uint64_t form = p.facts[form_of_layers];
  return p.steps(form < layer_forms ? static_cast<layer_form>(form) : layer_form::library);
}

/// ‖again − before‖ / ‖before‖, of the output.
double changed_share(const checked_problem& p) {
  const auto change = std::bit_cast<double>(p.facts[squared_change]),
             output = std::bit_cast<double>(p.facts[squared_output]);
  return change == 0 ? 0 : std::sqrt(change / output);
}

double error_of_output(const problem& p, const std::vector<double>& exact) {
  std::vector<double> seen;
  for (std::size_t i = 0; i < exact.size(); ++i) seen.push_back(static_cast<double>(float_of_bf16(p.out[i])));
  return distance(seen, exact);
}

end_to_end_errors errors_end_to_end(const problem& p, const known_inputs& known) {
  const pass_values& exact = known.passed(p);
  return {error_of_output(p, exact.out), p.by_library->trains() ? error_of_gradients(p, exact) : 0};
}

/// The part of the index that a pass depends on beside its inputs. Along curves it follows from these, up to
/// the order of pairs in lists.
std::span<const std::byte> index_of(const problem& host) {
  const network& n = *host.by_library;
  return {host.index, n.of.in_buckets ? static_cast<std::size_t>(n.index.bytes) : 0};
}

/// Of an index that is, byte by byte, the last right one, nothing is wrong.
std::string fault_of_index(const problem& p, const network& n, const known_inputs& known) {
  const std::span<const std::byte> seen{p.index, static_cast<std::size_t>(n.index.bytes)};
  const auto is_right = [&](const known_inputs::known_index& right) {
    return right.form == n.form && std::ranges::equal(right.bytes, seen);
  };
  if (known.right_index && is_right(*known.right_index)) return {};
  std::string violation = violated_index(p, n);
  if (violation.empty()) known.right_index = known_inputs::known_index{n.form, {seen.begin(), seen.end()}};
  return violation;
}

/// A pass whose steps were compared, by what all of them are like: what is wrong with it, if anything.
std::optional<std::string> fault_of_pass(const checked_problem& p, const known_inputs& known) {
  if (p.facts[form_of_layers] >= layer_forms) return "the steps were not compared";
  const network& n = network_of_facts(p);
  if (std::string violation = fault_of_index(p, n, known); !violation.empty()) return violation;
  if (std::string violation = violated_arena(n); !violation.empty()) return violation;
  if (std::string violation = n.trains() ? violated_gradients(n) : ""; !violation.empty()) return violation;
  for (std::size_t i = 0; i < n.steps.size(); ++i)
    if (auto fault = fault_of_step(p, n, i)) return fault;
  if (!n.convolves_lists() && p.facts[differing_words] != 0)
    return fmt::format("{} of {} words of the output differ when the steps are launched once more",
                       p.facts[differing_words], n.points() * n.out_channels);
  if (const double share = changed_share(p); !(share <= accepted_change))
    return fmt::format(
        "the output is another by {:.3e} of its norm when the steps are launched once more, "
        "expected at most {:.3e}",
        share, accepted_change);
  return std::nullopt;
}

rounding_errors errors_of(const network& n, const pass_values& rounded, const pass_values& exact) {
  return {distance(rounded.out, exact.out), distance(rounded.x_gradient, exact.x_gradient),
          distance(rounded.gradients, exact.gradients),
          n.trains() ? errors_of_layers(n, rounded.gradients, exact.gradients) : std::vector<double>()};
}

void raise_to(rounding_errors& most, const rounding_errors& other) {
  most.out = std::max(most.out, other.out);
  most.x_gradient = std::max(most.x_gradient, other.x_gradient);
  most.gradients = std::max(most.gradients, other.gradients);
  for (std::size_t i = 0; i < most.layers.size(); ++i)
    most.layers[i] = std::max(most.layers[i], other.layers[i]);
}

/// Of a pass that was held against the oracle: what is off by more than bf16 makes, if anything.
std::optional<check_result> fault_end_to_end(const problem& p, const known_inputs& known,
                                             const rounding_errors& of_bf16) {
  if (p.by_library->trains())
    if (auto fault = fault_of_gradients_end_to_end(p, known.passed(p), of_bf16))
      return check_result{false, *fault};
  const double error = known.compared->out, accepted = 2 * of_bf16.out;
  if (error <= accepted) return std::nullopt;
  return check_result{
      false,
      fmt::format("the output is off by {:.3e} of its norm, expected at most {:.3e}, twice what bf16 makes",
                  error, accepted),
      error / accepted, 1};
}

check_result checked(const checked_problem& p, const known_inputs& known, bool end_to_end) {
  if (auto fault = fault_of_pass(p, known)) return {false, *fault};
  const network& n = network_of_facts(p);
  if (n.trains())
    if (auto fault = fault_of_gradients(p)) return {false, *fault};
  if (!end_to_end) return {true, "", worst_of(p, n), 1};
  known.compared = errors_end_to_end(p, known);
  if (fault_end_to_end(p, known, *known.of_bf16))
    if (auto fault = fault_end_to_end(p, known, known.moved_at_most(p))) return *fault;
  return {true, "", worst_of(p, n), 1};
}

}  // namespace

checked_problem known_inputs::on_host(checked_problem p) const {
  p.coordinates = coordinates.data();
  p.cells = cells.data();
  p.positions = positions.data();
  p.ends = ends.data();
  p.windows = p.by_library->windows.data();
  p.probe_steps = probe_steps.data();
  p.x = x.data();
  p.out_gradient = out_gradient.data();
  p.matrices = weights.matrices.data();
  p.vectors = weights.vectors.data();
  return p;
}

bool known_inputs::has_passed(const problem& host) const {
  return last != nullptr && std::ranges::equal(last->index, index_of(host));
}

const pass_values& known_inputs::passed(const problem& host) const {
  if (has_passed(host)) return last->exact;
  const network& n = *host.by_library;
  const std::span<const std::byte> seen = index_of(host);
  last = std::make_unique<pass>(pass{{seen.begin(), seen.end()}, reference_pass(host, n, rounding::none)});
  const pass_values& exact = last->exact;
  if (of_bf16) return exact;
  of_bf16 = errors_of(n, reference_pass(host, n, rounding::bf16), exact);
  return exact;
}

const rounding_errors& known_inputs::moved_at_most(const problem& host) const {
  const network& n = *host.by_library;
  const pass_values& exact = passed(host);
  if (last->moved_at_most) return *last->moved_at_most;
  rounding_errors most = errors_of(n, reference_pass(host, n, rounding::bf16), exact);
  for (int draw = 1; draw < roundings_of_a_pass; ++draw)
    raise_to(most,
             errors_of(n, reference_pass(host, n, rounding::bf16, static_cast<std::uint64_t>(draw)), exact));
  return last->moved_at_most.emplace(std::move(most));
}

bool has_reference(const problem& p) { return operations_of(*p.by_library).all() <= max_reference_flops; }

check_result check(const checked_problem& p, const known_inputs& known) {
  return checked(p, known, has_reference(p));
}

check_result check_again(const checked_problem& p, const known_inputs& known) {
  return checked(p, known, has_reference(p) && known.has_passed(p));
}

nlohmann::ordered_json quality(const checked_problem& p, const known_inputs& known) {
  const network& n = network_of_facts(p);
  const operations work = operations_of(n);
  nlohmann::ordered_json figures = {
      {"launches", p.facts[launches]},
      {"host_waits", p.facts[host_waits]},
      {"arena_bytes", p.facts[arena_bytes]},
      {"live_bytes", p.facts[live_bytes]},
      {"index_bytes", p.facts[index_bytes]},
      {"weight_bytes", p.facts[weight_bytes]},
      {"workspace_bytes", p.facts[workspace_bytes]},
      {"peak_bytes", p.facts[arena_bytes] + p.facts[index_bytes] + p.facts[weight_bytes] +
                         p.facts[workspace_bytes] + p.facts[gradient_bytes]},
      {"attention_tflop", work.attention / 1e12},
      {"linear_tflop", work.linear / 1e12},
      {"convolution_tflop", work.convolution / 1e12},
      {"step_error_worst", worst_of(p, n)},
  };
  worst_bias_of(p, n).add_to(figures, "step");
  if (n.convolves_lists()) {
    figures["changed_words"] = p.facts[differing_words];
    figures["changed_share"] = changed_share(p);
  }
  if (n.trains()) add_gradient_figures(figures, p);
  if (!has_reference(p)) return figures;
  const end_to_end_errors of =
      known.compared && !known.has_passed(p) ? *known.compared : errors_end_to_end(p, known);
  figures["out_error"] = of.out;
  figures["out_error_of_bf16"] = known.of_bf16->out;
  if (n.trains()) {
    figures["gradient_error"] = of.gradients;
    figures["gradient_error_of_bf16"] = known.of_bf16->gradients;
  }
  return figures;
}

void write_no_errors(const checked_problem& p) {
  const network& n = *p.by_library;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    const step& s = n.steps[i];
    if (n.trains()) write_no_gradient_errors(p, n, i);
    if (n.is_of_training(s)) continue;
    const window_attention::deviation none =
        window_attention::no_deviation(s.kind == step_kind::attention ? attending_rows(n, s) : 0);
    p.attended[i] = {none, none};
    p.found[i * comparisons_of_step] =
        is_index(s.kind) ? dense_layers::comparison{} : dense_layers::no_errors(compared(n, s));
  }
  std::fill_n(p.facts, fact_count, std::uint64_t{0});
  p.facts[arena_bytes] = static_cast<std::uint64_t>(n.arena_bytes);
  p.facts[live_bytes] = static_cast<std::uint64_t>(max_live_bytes(n.tensors));
  p.facts[index_bytes] = static_cast<std::uint64_t>(n.index.bytes);
  p.facts[weight_bytes] = static_cast<std::uint64_t>(n.weights.bytes());
  p.facts[gradient_bytes] = static_cast<std::uint64_t>(4 * n.gradients.elements);
}

}  // namespace ablate::backbone
