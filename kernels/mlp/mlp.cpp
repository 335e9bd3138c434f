#include "kernels/mlp/mlp.h"

#include <algorithm>

namespace ablate::mlp {

std::size_t partial_bytes(const problem& p) {
  if (!p.is_backward) return 0;
  // A layer's parts of its weights' gradient, at most one for each 512 rows and 64 of them; the norm's parts;
  // column sums; both biases' sums of the pass between the products.
  const auto c = static_cast<std::size_t>(p.channels), h = static_cast<std::size_t>(p.hidden_columns()),
             z = static_cast<std::size_t>(p.first_columns());
  const auto parts = [&](std::size_t inputs, std::size_t outputs) {
    const std::size_t tiles = ((inputs + 127) / 128) * ((outputs + 127) / 128);
    return std::clamp<std::size_t>(320 / tiles, 1, 64) * outputs * (inputs + 1);
  };
  return sizeof(float) * std::max({parts(c, z), parts(h, c), 2048 * c, 32 * z, max_pass_blocks * (z + c)});
}

}  // namespace ablate::mlp
