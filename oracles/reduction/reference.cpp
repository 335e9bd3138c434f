#include <algorithm>
#include <cmath>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"
#include "kernels/reduction/reduction.h"

namespace ablate::reduction {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  memory.cut(partial_sums, most_partial_sums);
  temporary_bytes = cub_memory_bytes(0);
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t scratch_bytes() { return scratch(problem{}).bytes; }

exact_sum exact(const problem& p) {
  exact_sum found;
  double squares = 0;
  bool integers = true;
  for (std::int64_t i = 0; i < p.count; ++i) {
    const double value = static_cast<double>(p.in[i]);
    found.sum += value;
    squares += value * value;
    integers &= value == std::trunc(value) && std::abs(value) < 256;
  }
  found.norm = std::sqrt(squares);
  if (!integers)
    found.tolerance =
        4 * 0x1p-24 * std::sqrt(static_cast<double>(p.count) * (squares + 2 * found.sum * found.sum));
  return found;
}

}  // namespace ablate::reduction
