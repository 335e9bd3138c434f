// convolution: a dense two-dimensional filter over an fp32 image. Axes, inputs, check against the oracle and
// work model; one entry per variant.
#include "kernels/convolution/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/convolution/launches.h"
#include "oracles/common/greatest_error.h"
#include "oracles/convolution/reference.h"
#include "variants/bias_figures.h"

namespace ablate::convolution {
namespace {

problem problem_at(const axis_values& at, const input_library& inputs) {
  problem p;
  p.width = at.integer("size");
  p.height = at.word("shape") == "wide" ? p.width / 3 + 1 : p.width;
  p.filter = static_cast<int>(at.integer("filter"));
  const std::vector<float> weights = random_floats(p.filter * p.filter, inputs.seed(), "convolution filter");
  std::copy(weights.begin(), weights.end(), p.weights.begin());
  return p;
}

std::size_t image_bytes(const problem& p) {
  return sizeof(float) * static_cast<std::size_t>(p.width * p.height);
}

bound_buffers buffers(problem& p) {
  return {bind("in", p.in, image_bytes(p), buffer_role::input),
          bind("out", p.out, image_bytes(p), buffer_role::output, buffer_reset::poison)};
}

struct known_answer {
  std::vector<float> in, out;
  std::vector<float> accepted;  ///< per element
};

/// A row of the image a unit.
tensor_bias bias_of(const problem& p, const known_answer& known, const float* found) {
  signed_errors signs{};
  for (std::int64_t y = 0; y < p.height; ++y) {
    unit_errors row;
    for (std::int64_t i = y * p.width; i < (y + 1) * p.width; ++i)
      row.add(found[i], known.out[static_cast<std::size_t>(i)]);
    signs.add(row);
  }
  return {signs, accepted_bias_of_fp32};
}

/// Errors as fractions of what is accepted for the element.
check_result compared(const problem& p, const known_answer& known, const float* found) {
  check_result result{.ok = true, .accepted_error = 1};
  greatest_error greatest;
  for (std::size_t i = 0; i < known.out.size(); ++i) {
    const double expected = static_cast<double>(known.out[i]),
                 accepted = static_cast<double>(known.accepted[i]);
    const double error = std::abs(static_cast<double>(found[i]) - expected);
    if (error != 0) greatest.add(error / accepted);
    if (error <= accepted || !result.ok) continue;
    const auto place = static_cast<std::int64_t>(i);
    result.ok = false;
    result.message = fmt::format("row {}, column {}: expected {} ± {:.2g}, found {}", place / p.width,
                                 place % p.width, known.out[i], accepted, found[i]);
  }
  result.max_error = greatest.value();
  if (!result.ok) return result;
  return bias_result("out", bias_of(p, known, found)).value_or(result);
}

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  known->in = random_floats(p.width * p.height, inputs.seed(), "convolution image");
  problem host = p;
  host.in = known->in.data();
  known->out = exact(host);
  known->accepted = accepted_errors(host);

  workload w;
  w.contents = contents_of(p, buffers, {{"in", std::as_bytes(std::span(known->in))}});
  w.check = [known, p](std::span<const std::byte* const> outputs) {
    return compared(p, *known, attached(p, buffers, outputs).out);
  };
  w.quality = [known, p](std::span<const std::byte* const> outputs) {
    nlohmann::ordered_json figures;
    add_bias(figures, "", bias_of(p, *known, attached(p, buffers, outputs).out));
    return figures;
  };
  w.reference = [host](std::span<void* const> host_buffers) {
    const std::vector<float> out = exact(host);
    std::copy(out.begin(), out.end(), attached(host, buffers, host_buffers).out);
  };
  // Compulsory: the image read once and written once. A multiplication and an addition per tap, including the
  // border's.
  w.work = {.bytes = 2.0 * static_cast<double>(image_bytes(p)),
            .written_bytes = static_cast<double>(image_bytes(p)),
            .flops = 2.0 * p.filter * p.filter * static_cast<double>(p.width * p.height),
            .flop_pipe = "fma_f32"};
  w.input = {{"hash", hash_hex(known->in.data(), image_bytes(p))},
             {"width", p.width},
             {"height", p.height},
             {"taps", p.filter * p.filter}};
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "convolution",
     .description = "dense two-dimensional filter over an fp32 image",
     .axes = {axis::of_integers("size", 1, max_size, 4096, "width of the image"),
              axis::of_words("filter", {"5", "15", "3"}, "taps along x and y"),
              axis::of_words("shape", {"square", "wide"},
                             "height of the image: its width; or a third of it, and 1")},
     .baseline = "direct",
     .presets = {.best = {"direct_four", "smem_tile_four"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .switches =
         {{.name = "smem",
           .description = "where taps read the image",
           .values = {{"off", "global memory, through L1"}, {"on", "a tile with its halo in shared memory"}},
           .counter =
               "global load requests, down to little more than one per element; shared loads in their place",
           .source = "Podlozhnyuk, \"Image Convolution with CUDA\", NVIDIA, 2007"},
          {.name = "outputs",
           .description = "outputs of a thread",
           .values = {{"1"},
                      {"4", "a row is read by 16-byte loads and serves all four"},
                      {"8", "four of two neighboring rows, which share what they read"}},
           .counter = "L1 or shared requests, down; the fp32 pipe, up"}},
     .variants = {
         {"direct",
          ABLATE_LAUNCH(direct),
          {{"smem", "off"}, {"outputs", "1"}},
          "one output per thread from global memory"},
         {"smem_tile",
          ABLATE_LAUNCH(smem_tile),
          {{"smem", "on"}, {"outputs", "1"}},
          "one output per thread, a tile with its halo in shared memory: the textbook form"},
         {"direct_four",
          ABLATE_LAUNCH(direct),
          {{"smem", "off"}, {"outputs", "4"}},
          "four outputs per thread from rows in registers, 16-byte loads",
          {.takes = {{"outputs", {"8"}}}}},
         {"smem_tile_four",
          ABLATE_LAUNCH(smem_tile),
          {{"smem", "on"}, {"outputs", "4"}},
          "four outputs per thread, with rows read from a tile in shared memory",
          {.takes = {{"outputs", {"8"}}}}},
     }});

}  // namespace ablate::convolution
