// softmax over rows of fp32. Axes, buffers, input, check and work model; one entry per variant.
#include <ablate/inputs/random_floats.h>
#include <ablate/registry/define.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "harness/softmax.h"

namespace rows {
namespace {

using namespace ablate;

std::size_t bytes(const problem& p) { return sizeof(float) * static_cast<std::size_t>(p.rows * p.columns); }

problem problem_at(const axis_values& at, const input_library&) {
  return {.rows = at.integer("rows"), .columns = at.integer("columns")};
}

bound_buffers buffers(problem& p) {
  return {bind("in", p.in, bytes(p)),
          bind("out", p.out, bytes(p), buffer_role::output, buffer_reset::poison)};
}

/// Relative: a few roundings of exponentials and the quotient, and one for each term that a thread adds,
/// which are columns / 32 where a row is a warp's.
double accepted_error(const problem& p) { return 1e-6 + 0x1p-24 * static_cast<double>(p.columns) / 32; }

/// Against the definition, in double precision: every share by itself, relative to it.
check_result check(const problem& p, const float* in, const float* out) {
  const double accepted = accepted_error(p);
  check_result result{.ok = true, .accepted_error = accepted};
  for (std::int64_t row = 0; row < p.rows; ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < p.columns; ++i)
      sum += std::exp(static_cast<double>(in[row * p.columns + i]));
    for (std::int64_t i = 0; i < p.columns; ++i) {
      const double right = std::exp(static_cast<double>(in[row * p.columns + i])) / sum;
      const double error = std::abs(static_cast<double>(out[row * p.columns + i]) - right) / right;
      if (!(error <= accepted))
        return {false, "row " + std::to_string(row) + ", column " + std::to_string(i) + ": expected " +
                           std::to_string(right) + ", found " + std::to_string(out[row * p.columns + i])};
      result.max_error = std::max(result.max_error, error);
    }
  }
  return result;
}

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  const auto in =
      std::make_shared<std::vector<float>>(random_floats(p.rows * p.columns, inputs.seed(), "in"));
  workload w;
  w.contents = contents_of(p, buffers, {{"in", std::as_bytes(std::span(*in))}});
  w.reference = [p, in](std::span<void* const> host) {
    problem here = attached(p, buffers, host);
    here.in = in->data();
    softmax_reference(here);
  };
  w.check = [p, in](std::span<const std::byte* const> outputs) {
    return check(p, in->data(), attached(p, buffers, outputs).out);
  };
  w.work = {.bytes = 2.0 * static_cast<double>(bytes(p)), .written_bytes = static_cast<double>(bytes(p))};
  w.input = {{"hash", hash_hex(in->data(), bytes(p))}};
  w.storage = in;
  return w;
}

}  // namespace

const bool defined = define<problem>(
    {.name = "softmax",
     .description = "softmax over the rows of an fp32 matrix",
     .axes = {axis::of_integers("rows", 1, 1 << 20, 4096, "rows"),
              axis::of_integers("columns", ROWS_MINIMUM_COLUMNS, 1 << 16, 1024, "columns")},
     .baseline = "three_reads",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .variants = {
         {"three_reads",
          ABLATE_LAUNCH(softmax),
          {{"online", "off"}, {"row", "block"}},
          "maximum, sum, shares"},
         {"two_reads",
          ABLATE_LAUNCH(softmax),
          {{"online", "on"}, {"row", "block"}},
          "maximum and sum in one pass"},
         {"three_reads_warp", ABLATE_LAUNCH(softmax), {{"online", "off"}, {"row", "warp"}}, "a warp per row"},
         {"two_reads_warp", ABLATE_LAUNCH(softmax), {{"online", "on"}, {"row", "warp"}}, "both"}}});

}  // namespace rows
