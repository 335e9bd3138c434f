// reduction: the sum of fp32 numbers. Axes, inputs, check against the oracle and work model; one entry per
// variant.
#include "kernels/reduction/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/reduction/launches.h"
#include "oracles/reduction/reference.h"

namespace ablate::reduction {
namespace {

problem problem_at(const axis_values& at, const input_library&) { return {.count = at.integer("elements")}; }

std::size_t input_bytes(const problem& p) { return sizeof(float) * static_cast<std::size_t>(p.count); }

bound_buffers buffers(problem& p) {
  return {bind("in", p.in, input_bytes(p), buffer_role::input),
          bind("out", p.out, sizeof(float), buffer_role::output, buffer_reset::poison),
          bind("scratch", p.scratch, scratch_bytes(), buffer_role::scratch, buffer_reset::poison)};
}

// Odd integers from −15 to 15: every order gives the same sum, and omitting an element or adding it twice
// changes it.
std::vector<float> numbers(const problem& p, const axis_values& at, const input_library& inputs) {
  std::vector<float> values = random_floats(p.count, inputs.seed(), "reduction");
  if (at.word("values") == "integers")
    std::transform(values.begin(), values.end(), values.begin(),
                   [](float value) { return 2 * std::floor(8 * value) + 1; });
  return values;
}

struct known_answer {
  std::vector<float> in;
  exact_sum right;
};

double sum_in(const problem& seen) { return static_cast<double>(*seen.out); }

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  known->in = numbers(p, at, inputs);
  problem host = p;
  host.in = known->in.data();
  known->right = exact(host);

  workload w;
  w.contents = contents_of(p, buffers, {{"in", std::as_bytes(std::span(known->in))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) -> check_result {
    const exact_sum& right = known->right;
    const double found = sum_in(attached(p, buffers, outputs)), error = std::abs(found - right.sum);
    check_result result{.ok = error <= right.tolerance,
                        .max_error = error / right.norm,
                        .accepted_error = right.tolerance / right.norm};
    if (!result.ok)
      result.message = fmt::format("sum: expected {} ± {}, found {}", right.sum, right.tolerance, found);
    return result;
  };
  w.reference = [host](std::span<void* const> host_buffers) {
    *attached(host, buffers, host_buffers).out = static_cast<float>(exact(host).sum);
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) -> nlohmann::ordered_json {
    const double error = std::abs(sum_in(attached(p, buffers, outputs)) - known->right.sum);
    return {{"error_over_norm", error / known->right.norm}};
  };
  // Compulsory: each element read once.
  w.work = {.bytes = static_cast<double>(input_bytes(p)) + sizeof(float),
            .flops = static_cast<double>(p.count - 1),
            .flop_pipe = "fma_f32"};
  w.input = {{"hash", hash_hex(known->in.data(), input_bytes(p))},
             {"elements", p.count},
             {"sum", known->right.sum},
             {"norm", known->right.norm}};
  w.storage = known;
  return w;
}

switches sums(const char* loads, const char* combine, const char* repeatable = "off") {
  return {{"loads", loads}, {"combine", combine}, {"repeatable", repeatable}};
}

}  // namespace

const bool defined = define<problem>(
    {.name = "reduction",
     .description = "sum of fp32 numbers",
     .axes = {axis::of_integers("elements", 1, max_elements, 1 << 24, "numbers to be added"),
              axis::of_words(
                  "values", {"reals", "integers"},
                  "uniform from -1 to 1; or odd integers from -15 to 15, whose sum is exact in any order")},
     .baseline = "atomics",
     .presets = {.best = {"smem_shuffles+loads=strided"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .switches = {{"loads",
                   "how a thread gets its numbers",
                   {{"one", "one element per thread"},
                    {"strided", "16-byte loads in a grid-stride loop"},
                    {"cub", "as cub::DeviceReduce does"}},
                   "share of the DRAM's peak, up"},
                  {"combine",
                   "how numbers of a block become one",
                   {{"atomics", "one atomic per thread"},
                    {"shuffles", "shuffles, one atomic per warp"},
                    {"tree", "a tree in shared memory with eight barriers, one atomic per block"},
                    {"shuffles_shared",
                     "shuffles, then the warps' sums through shared memory with one barrier"},
                    {"cub", "as cub::DeviceReduce does"}},
                   "L2 reductions, barrier stalls",
                   "tree: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007"},
                  only_with("combine", {"cub"},
                            {"repeatable",
                             "whether every run gives the same bits",
                             {{"on", "it does"}, {"off", "atomics arrive in any order"}}})},
     .variants = {
         {"atomics",
          ABLATE_LAUNCH(block_sums),
          sums("one", "atomics"),
          "one element and one atomic per thread",
          {.takes = {{"combine", {"shuffles"}}}}},
         {"shuffles",
          ABLATE_LAUNCH(block_sums),
          sums("one", "shuffles"),
          "one element per thread, shuffles, one atomic per warp",
          {.takes = {{"loads", {"strided"}}}}},
         {"smem_tree",
          ABLATE_LAUNCH(block_sums),
          sums("one", "tree"),
          "one element per thread, a tree in shared memory, one atomic per block: the textbook form",
          {.takes = {{"loads", {"strided"}}, {"combine", {"shuffles_shared"}}}}},
         {"smem_shuffles",
          ABLATE_LAUNCH(block_sums),
          sums("one", "shuffles_shared"),
          "one element per thread, shuffles, the warps' sums through shared memory, one atomic per block",
          {.takes = {{"loads", {"strided"}}}}},
         {"cub",
          ABLATE_LAUNCH(library),
          sums("cub", "cub", "on"),
          "cub::DeviceReduce, the library's sum: every run gives the same bits",
          {.same_bits = true}},
     }});

}  // namespace ablate::reduction
