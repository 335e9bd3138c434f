#include "variants/backbone/prepare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/inputs/random_floats.h"
#include "kernels/backbone/work.h"
#include "kernels/common/bf16.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/reference.h"
#include "oracles/psh_bucket/probes.h"
#include "variants/backbone/buffers.h"
#include "variants/backbone/check.h"

namespace ablate::backbone {
namespace {

/// Compulsory: inputs and weights read, the output written; what steps hand on is free. Beside it the steps,
/// whose times add up as long as each waits for the one in front: a model.
work_model work(const problem& p) {
  const network& n = *p.by_library;
  const auto points = static_cast<double>(n.points());
  const double row = 2.0 * n.out_channels, written = points * row;
  // Coordinates; cells and features; positions.
  const double given = (n.of.in_buckets ? 6 : 0) + (n.is_ptv3() ? 12 + 8 : 0) + (n.pools_by_grid() ? 12 : 0);
  const operations of = operations_of(n);
  const double read = n.is_block() ? row : given;
  // The output's gradient; those of all parameters and of a block's rows.
  const double trained = n.trains() ? 4.0 * static_cast<double>(n.layers.parameters()) +
                                          (n.is_block() ? points * row : 0)
                                    : 0,
               arriving = n.trains() ? points * row : 0;
  work_model out{
      .bytes = points * read + static_cast<double>(n.weights.bytes()) + written + arriving + trained,
      .written_bytes = written + trained,
      .flops = of.all(),
      .flop_pipe = "tensor_bf16"};
  for (const steps_of_kind& s : steps_by_kind(*p.by_own)) {
    out.steps.push_back({s.kind, static_cast<double>(s.count), s.read_bytes + s.written_bytes,
                         s.written_bytes, s.flops, s.exponentials});
    out.exponentials += s.exponentials;
  }
  return out;
}

/// Numbers of unit variance.
std::vector<std::uint16_t> drawn_gradient(const network& n, std::uint64_t seed) {
  std::vector<std::uint16_t> rows;
  const float reach = std::sqrt(3.0f);
  for (const float x : random_floats(n.points() * n.out_channels, seed, "out.gradient"))
    rows.push_back(bf16_of_float(reach * x));
  return rows;
}

/// On the host only passes that are small enough are computed whole; larger ones need a GPU.
void write_reference(const checked_problem& p, const known_inputs& known) {
  make_index(p, *p.by_library);
  const auto as_bf16 = [](double x) { return bf16_of_float(static_cast<float>(x)); };
  pass_values exact{
      std::vector<double>(static_cast<std::size_t>(p.by_library->points() * p.by_library->out_channels))};
  if (has_reference(p)) exact = known.passed(p);
  std::ranges::transform(exact.out, p.out, as_bf16);
  std::ranges::transform(exact.x_gradient, p.x_gradient, as_bf16);
  std::ranges::transform(exact.gradients, p.gradients, [](double x) { return static_cast<float>(x); });
  write_no_errors(p);
}

}  // namespace

checked_problem problem_of(const std::function<network(layer_form)>& network_in, const axis_values& at) {
  const auto made = [&](layer_form form) { return std::make_shared<const network>(network_in(form)); };
  checked_problem p;
  p.by_library = made(layer_form::library);
  p.by_own = made(layer_form::own);
  p.by_choice = made(layer_form::per_layer_best);
  p.by_choice_on_mma = made(layer_form::per_layer_best_on_mma);
  p.in_separate_launches = made(layer_form::separate);
  p.by_choice_beside = p.by_choice->trains() ? made(layer_form::second_stream) : p.by_choice;
  p.by_choice_beside_to_end = p.by_choice->trains() ? made(layer_form::second_stream_to_end) : p.by_choice;
  p.in_joined_steps = p.by_choice->trains() ? p.by_choice : made(layer_form::joined);
  p.in_joined_steps_on_mma = p.by_choice->trains() ? p.by_choice_on_mma : made(layer_form::joined_on_mma);
  const std::string& host = at.word("host");
  p.host = host == "published" ? host_role::published
           : host == "once"    ? host_role::once
           : host == "graph"   ? host_role::graph
                               : host_role::absent;
  p.step_launches = static_cast<int>(at.integer("step_launches"));
  return p;
}

workload prepare(const checked_problem& p, given_inputs given, const input_library& inputs) {
  const network& n = *p.by_library;
  auto known = std::make_shared<known_inputs>();
  known->coordinates = std::move(given.coordinates);
  known->x = std::move(given.x);
  known->cells = std::move(given.cells);
  known->positions = std::move(given.positions);
  if (n.trains()) known->out_gradient = drawn_gradient(n, inputs.seed());
  known->ends = ends_table(n);
  known->probe_steps = psh_bucket::shuffled_probe_steps(inputs.seed());
  const auto draw = [&](std::int64_t count, const std::string& name) {
    return random_floats(count, inputs.seed(), name);
  };
  known->weights = pack(n.layers, n.weights, draw, !n.trains());

  workload w;
  using content = std::span<const std::byte>;
  const auto coordinates = std::as_bytes(std::span(known->coordinates)),
             cells = std::as_bytes(std::span(known->cells)), x = std::as_bytes(std::span(known->x)),
             ends = std::as_bytes(std::span(known->ends)),
             probe_steps = std::as_bytes(std::span(known->probe_steps));
  w.contents = contents_of(p, buffers,
                           {{"coordinates", coordinates},
                            {"cells", cells},
                            {"positions", std::as_bytes(std::span(known->positions))},
                            {"ends", n.is_block() ? content() : ends},
                            {"windows", std::as_bytes(std::span(n.windows))},
                            {"probe_steps", n.orders_points() ? probe_steps : content()},
                            {"x", x},
                            {"matrices", std::as_bytes(std::span(known->weights.matrices))},
                            {"vectors", std::as_bytes(std::span(known->weights.vectors))},
                            {"out_gradient", std::as_bytes(std::span(known->out_gradient))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(known->on_host(attached(p, buffers, outputs)), *known);
  };
  w.check_again = [p, known](std::span<const std::byte* const> outputs) {
    return check_again(known->on_host(attached(p, buffers, outputs)), *known);
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(known->on_host(attached(p, buffers, outputs)), *known);
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    write_reference(known->on_host(attached(p, buffers, addresses)), *known);
  };
  w.work = work(p);
  const content hashed = n.is_block() ? x : n.is_ptv3() ? cells : coordinates;
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size())},
             {"points", n.points()},
             {"instances", n.instances()},
             {"parameters", n.layers.parameters()},
             {"step_launches", p.step_launches}};
  for (std::size_t l = 0; l < n.levels.size(); ++l) {
    w.input["rows_" + std::to_string(l + 1)] = n.levels[l].real;
    w.input["tokens_" + std::to_string(l + 1)] = n.levels[l].slots;
    if (!n.levels[l].list_ends.empty()) w.input["pairs_" + std::to_string(l + 1)] = n.levels[l].pairs();
  }
  if (n.is_ptv3()) w.input["stem_pairs"] = n.stem_pairs();
  w.input.update(given.facts);
  w.storage = known;
  return w;
}

}  // namespace ablate::backbone
