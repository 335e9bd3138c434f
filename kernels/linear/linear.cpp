#include "kernels/linear/linear.h"

#include <algorithm>

namespace ablate::linear {

int splits_of_rows(const problem& p, int multiprocessors) {
  constexpr std::int64_t tile = 128, least_rows = 512;
  const std::int64_t tiles = (p.outputs + tile - 1) / tile * ((p.inputs + tile - 1) / tile);
  const std::int64_t most = std::max<std::int64_t>(1, p.rows / least_rows);
  return static_cast<int>(std::clamp<std::int64_t>(2 * std::min(multiprocessors, 160) / tiles, 1,
                                                   std::min<std::int64_t>(most, 64)));
}

std::size_t partial_bytes(const problem& p) {
  if (!p.has(output::weight_gradient)) return 0;
  return sizeof(float) * static_cast<std::size_t>(splits_of_rows(p, 160)) *
         static_cast<std::size_t>(p.outputs) * static_cast<std::size_t>(p.inputs + 1);
}

}  // namespace ablate::linear
