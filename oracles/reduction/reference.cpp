#include "oracles/reduction/reference.h"

#include <cmath>

namespace ablate::reduction {

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
