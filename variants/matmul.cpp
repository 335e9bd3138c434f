// matmul: C = A·B in fp32 without tensor cores. Axes, inputs, check against the oracle and work model; one
// line per variant.
#include "kernels/matmul/matmul.h"

#include <fmt/format.h>

#include <memory>

#include "harness/inputs/random_floats.h"
#include "harness/registry/define.h"
#include "kernels/matmul/launches.h"
#include "oracles/matmul/reference.h"
#include "variants/bias_figures.h"

namespace ablate::matmul {
namespace {

problem problem_at(const axis_values& at, const input_library&) {
  const std::int64_t size = at.integer("size"), half = (size + 1) / 2, quarter = (size + 3) / 4;
  if (at.word("shape") == "tall") return {.m = size, .n = half, .k = quarter};
  if (at.word("shape") == "wide") return {.m = quarter, .n = size, .k = half};
  if (at.word("shape") == "deep") return {.m = half, .n = quarter, .k = size};
  return {.m = size, .n = size, .k = size};
}

std::size_t bytes_of(std::int64_t rows, std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(rows * columns);
}

bound_buffers buffers(problem& p) {
  return {bind("a", p.a, bytes_of(p.m, p.k), buffer_role::input),
          bind("b", p.b, bytes_of(p.k, p.n), buffer_role::input),
          bind("c", p.c, bytes_of(p.m, p.n), buffer_role::output, buffer_reset::poison)};
}

struct known_answer {
  std::vector<float> a, b;
  std::optional<known_product> product;

  problem on_host(problem p) const {
    p.a = a.data();
    p.b = b.data();
    return p;
  }
};

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_answer>();
  known->a = random_floats(p.m * p.k, inputs.seed(), "matmul a");
  known->b = random_floats(p.k * p.n, inputs.seed(), "matmul b");
  const problem host = known->on_host(p);
  known->product.emplace(host, inputs.seed());

  const auto product_of = [p](std::span<const std::byte* const> outputs) {
    return attached(p, buffers, outputs).c;
  };
  workload w;
  w.contents = contents_of(
      p, buffers, {{"a", std::as_bytes(std::span(known->a))}, {"b", std::as_bytes(std::span(known->b))}});
  w.check = [known, product_of](std::span<const std::byte* const> outputs) -> check_result {
    const known_product::verdict found = known->product->check(product_of(outputs));
    if (found.violation) return {false, *found.violation, found.max_error, 1};
    return bias_result("c", tensor_bias(found.signs, accepted_bias_of_fp32))
        .value_or(check_result{true, "", found.max_error, 1});
  };
  w.reference = [host](std::span<void* const> outputs) {
    problem on_host = host;
    on_host.c = attached(host, buffers, outputs).c;
    reference(on_host);
  };
  w.quality = [known, product_of](std::span<const std::byte* const> outputs) -> nlohmann::ordered_json {
    nlohmann::ordered_json figures = {
        {"relative_error", known->product->relative_error(product_of(outputs))}};
    add_bias(figures, "",
             tensor_bias(known->product->check(product_of(outputs)).signs, accepted_bias_of_fp32));
    return figures;
  };
  // Compulsory: each matrix once. A multiplication and an addition per output and step of k.
  w.work = {.bytes = static_cast<double>(bytes_of(p.m, p.k) + bytes_of(p.k, p.n) + bytes_of(p.m, p.n)),
            .written_bytes = static_cast<double>(bytes_of(p.m, p.n)),
            .flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k),
            .flop_pipe = "fma_f32"};
  const std::string hashes =
      hash_hex(known->a.data(), bytes_of(p.m, p.k)) + hash_hex(known->b.data(), bytes_of(p.k, p.n));
  w.input = {{"hash", hash_hex(hashes.data(), hashes.size())},
             {"m", p.m},
             {"n", p.n},
             {"k", p.k},
             {"element_rms", element_rms(p)}};
  w.storage = known;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "matmul",
     .description = "product of two fp32 matrices, no tensor cores",
     .axes = {axis::of_integers("size", 1, max_size, 1024,
                                "rows and columns of square matrices; the largest of m, n, k of others"),
              axis::of_words("shape", {"square", "tall", "wide", "deep"},
                             "m×n×k in units of the size: 1×1×1, 1×½×¼, ¼×1×½ or ½×¼×1")},
     .baseline = "naive",
     .presets = {.best = {"smem_tiles", "smem_register_block"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .switches =
         {{.name = "smem",
           .description = "where operands are read",
           .values = {{"off", "global memory, through L1"}, {"on", "tiles in shared memory"}},
           .counter =
               "global load sectors, down 32-fold by tiles of 32x32; L1 requests, down with register blocks",
           .source = "CUDA C++ Programming Guide, \"Shared Memory\""},
          {.name = "outputs",
           .description = "outputs of a thread, rows by columns",
           .values = {{"1"},
                      {"8x8", "64 multiply-adds for 16 floats read"},
                      {"8x16", "128 multiply-adds for 24 floats read"}},
           .counter = "loads per multiply-add, down; the fp32 multiply-add pipe, up"},
          {.name = "warp",
           .description = "what the lanes of a warp count along",
           .values = {{"columns", "columns of the product, so loads and stores coalesce"},
                      {"rows", "rows, so nothing coalesces"}},
           .counter = "L1 sectors per load request, from 32 to 4"}},
     .variants = {
         {"naive",
          ABLATE_LAUNCH(naive),
          {{"smem", "off"}, {"outputs", "1"}, {"warp", "columns"}},
          "one output per thread from global memory, with warps along columns",
          {.takes = {{"warp", {"rows"}}}}},
         {"naive_by_row",
          ABLATE_LAUNCH(naive),
          {{"smem", "off"}, {"outputs", "1"}, {"warp", "rows"}},
          "one output per thread from global memory, with warps down a column, so nothing coalesces"},
         {"smem_tiles",
          ABLATE_LAUNCH(smem_tiles),
          {{"smem", "on"}, {"outputs", "1"}, {"warp", "columns"}},
          "one output per thread, 32×32 tiles in shared memory",
          {.takes = {{"warp", {"rows"}}}}},
         {"smem_register_block",
          ABLATE_LAUNCH(smem_register_block),
          {{"smem", "on"}, {"outputs", "8x8"}, {"warp", "columns"}},
          "8×8 outputs per thread, 128×128 tiles through two stages of shared memory"},
         {"smem_wide_block",
          ABLATE_LAUNCH(smem_wide_block),
          {{"smem", "on"}, {"outputs", "8x16"}, {"warp", "columns"}},
          "8×16 outputs per thread, 128×256 tiles through three stages of shared memory"},
         {"register_block",
          ABLATE_LAUNCH(register_block),
          {{"smem", "off"}, {"outputs", "8x8"}, {"warp", "columns"}},
          "8×8 outputs per thread, operands from global memory",
          {.takes = {{"warp", {"rows"}}}}},
     }});

}  // namespace ablate::matmul
