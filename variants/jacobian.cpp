// jacobian: position Jacobians of a six-joint chain. Axes, inputs, check against the oracle and work model;
// one entry per variant.
#include "kernels/jacobian/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/jacobian/launches.h"
#include "oracles/common/greatest_error.h"
#include "oracles/jacobian/reference.h"
#include "variants/bias_figures.h"

namespace ablate::jacobian {
namespace {

problem problem_at(const axis_values& at, const input_library&) {
  return {.poses = at.integer("poses"),
          .by = at.word("method") == "analytic" ? method::analytic : method::difference,
          .links = arm()};
}

std::size_t floats(std::int64_t count) { return sizeof(float) * static_cast<std::size_t>(count); }

bound_buffers buffers(problem& p) {
  return {bind("links", p.in_memory, sizeof(chain), buffer_role::input),
          bind("angles", p.angles, floats(p.poses * joints), buffer_role::input),
          bind("out", p.out, floats(p.poses * elements), buffer_role::output, buffer_reset::poison)};
}

struct known_answer {
  std::vector<float> angles;
  std::vector<std::array<double, elements>> right;
  chain links;
};

/// A pose a unit. Differences may be as much too great as their steps are.
tensor_bias bias_of(const problem& p, const known_answer& known, const float* found) {
  signed_errors signs{};
  double stretched = 0;
  for (std::size_t pose = 0; pose < known.right.size(); ++pose) {
    unit_errors unit;
    for (std::size_t i = 0; i < elements; ++i) {
      const double right = known.right[pose][i];
      unit.add(found[pose * elements + i], right);
      if (p.by == method::difference)
        stretched += right * right * rounding_of_step(known.angles[pose * joints + i % joints]);
    }
    signs.add(unit);
  }
  return {signs, accepted_bias(p.by) + std::abs(stretched) / signs.squares};
}

check_result compared(const problem& p, const known_answer& known, const float* found) {
  const double accepted = tolerance(p);
  check_result result{.ok = true, .accepted_error = accepted};
  greatest_error greatest;
  for (std::size_t pose = 0; pose < known.right.size(); ++pose)
    for (std::size_t i = 0; i < elements; ++i) {
      const float element = found[pose * elements + i];
      const double expected = known.right[pose][i], error = std::abs(static_cast<double>(element) - expected);
      greatest.add(error);
      if (error <= accepted || !result.ok) continue;
      result.ok = false;
      result.message = fmt::format("pose {}, row {}, joint {}: expected {} ± {}, found {}", pose, i / joints,
                                   i % joints, expected, accepted, element);
    }
  result.max_error = greatest.value();
  if (!result.ok) return result;
  return bias_result("out", bias_of(p, known, found)).value_or(result);
}

double relative_error(const known_answer& known, const float* found) {
  double squared_error = 0, squared = 0;
  for (std::size_t pose = 0; pose < known.right.size(); ++pose)
    for (std::size_t i = 0; i < elements; ++i) {
      const double expected = known.right[pose][i];
      const double error = static_cast<double>(found[pose * elements + i]) - expected;
      squared_error += error * error, squared += expected * expected;
    }
  return std::sqrt(squared_error / squared);
}

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  known->links = p.links;
  known->angles = random_floats(p.poses * joints, inputs.seed(), "jacobian angles");
  constexpr float half_turn = 3.14159265f;
  for (float& angle : known->angles) angle *= half_turn;
  for (std::int64_t pose = 0; pose < p.poses; ++pose)
    known->right.push_back(exact(p.links, known->angles.data() + pose * joints));

  const auto jacobians_of = [p](std::span<const std::byte* const> outputs) {
    return attached(p, buffers, outputs).out;
  };
  workload w;
  w.contents = contents_of(p, buffers,
                           {{"links", std::as_bytes(std::span(known->links))},
                            {"angles", std::as_bytes(std::span(known->angles))}});
  w.check = [known, p, jacobians_of](std::span<const std::byte* const> outputs) {
    return compared(p, *known, jacobians_of(outputs));
  };
  w.reference = [known, p](std::span<void* const> host_buffers) {
    float* out = attached(p, buffers, host_buffers).out;
    for (std::int64_t pose = 0; pose < p.poses; ++pose) {
      const auto of_pose = exact(p.links, known->angles.data() + pose * joints);
      out = std::transform(of_pose.begin(), of_pose.end(), out,
                           [](double element) { return static_cast<float>(element); });
    }
  };
  w.quality = [known, p, jacobians_of](std::span<const std::byte* const> outputs) -> nlohmann::ordered_json {
    nlohmann::ordered_json figures = {{"relative_error", relative_error(*known, jacobians_of(outputs))}};
    add_bias(figures, "", bias_of(p, *known, jacobians_of(outputs)));
    return figures;
  };
  // Compulsory: angles and parameters read once, Jacobians written once. FLOPs of the analytic form, counting
  // a sine and a cosine as one each: 56 per link, 12 per cross product.
  w.work = {.bytes = static_cast<double>(sizeof(chain) + floats(p.poses * (joints + elements))),
            .written_bytes = static_cast<double>(floats(p.poses * elements)),
            .flops = static_cast<double>(p.poses) * joints * (56 + 12),
            .flop_pipe = "fma_f32"};
  w.input = {{"hash", hash_hex(known->angles.data(), floats(p.poses * joints))},
             {"poses", p.poses},
             {"reach_m", reach(p.links)}};
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "jacobian",
     .description = "position Jacobians of a robot arm of six joints",
     .axes = {axis::of_integers("poses", 1, max_poses, 10000, "poses of the arm"),
              axis::of_words("method", {"analytic", "difference"},
                             "axes times levers; or forward differences by 1e-5 rad, as published")},
     .baseline = "global_parameters",
     .presets = {.best = {"smem_rows"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .switches = {{.name = "parameters",
                   .description = "where threads read the chain's 24 parameters",
                   .values = {{"global", "global memory, one address for all lanes"},
                              {"constant", "the constant bank"},
                              {"shared", "shared memory, to which each block copies them"}},
                   .counter = "global load requests, from 24 per warp to none; shared loads in their place"},
                  {.name = "rows",
                   .description = "how angles are read and Jacobians written",
                   .values = {{"global", "by each thread itself, 72 bytes from one Jacobian to the next"},
                              {"shared", "through shared memory, a block's in whole sectors"}},
                   .counter = "sectors per store request, from 32 to 4"}},
     .variants = {
         {"global_parameters",
          ABLATE_LAUNCH(jacobians),
          {{"parameters", "global"}, {"rows", "global"}},
          "one pose per thread, the chain's 24 parameters from global memory"},
         {"constant_parameters",
          ABLATE_LAUNCH(jacobians),
          {{"parameters", "constant"}, {"rows", "global"}},
          "one pose per thread, the chain's 24 parameters from the constant bank"},
         {"smem_parameters",
          ABLATE_LAUNCH(jacobians),
          {{"parameters", "shared"}, {"rows", "global"}},
          "one pose per thread, the chain's 24 parameters from shared memory"},
         {"smem_rows",
          ABLATE_LAUNCH(jacobians),
          {{"parameters", "constant"}, {"rows", "shared"}},
          "parameters from the constant bank; angles and Jacobians pass through shared memory",
          {.takes = {{"parameters", {"global", "shared"}}}}},
     }});

}  // namespace ablate::jacobian
