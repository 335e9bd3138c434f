// row_sums: the short form, without an oracle: what the variant `thread` gives is the answer.
#include <ablate/ablate.h>

namespace rows {

/// Sums in another order: up to 2^14 terms of at most 1, whose partial sums stay in the hundreds.
constexpr double tolerance = 2e-3;

std::vector<ablate::kernel_array> sum_arrays(const ablate::axis_values& at) {
  const long rows = at.integer("rows"), columns = at.integer("columns");
  return {ablate::input_floats("in", rows * columns), ablate::output_of<float>("sums", rows, tolerance)};
}

const bool sums_defined = ablate::define_kernel(
    {.name = "row_sums",
     .description = "sums of the rows of an fp32 matrix",
     .axes = {ablate::axis::of_integers("rows", 1, 1 << 20, 4096, "rows"),
              ablate::axis::of_integers("columns", 1, 1 << 14, 1024, "columns")},
     .arrays = sum_arrays,
     .baseline = "thread",
     .variants = {{"thread", ABLATE_KERNEL(row_sums), {{"row", "thread"}}, "a thread per row"},
                  {"warp", ABLATE_KERNEL(row_sums), {{"row", "warp"}}, "a warp per row"}}});

}  // namespace rows
