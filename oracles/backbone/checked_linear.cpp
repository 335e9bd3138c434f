#include "oracles/backbone/checked_linear.h"

#include "kernels/network/parts.h"
#include "kernels/training/gradient_parts.h"

namespace ablate::backbone {

linear::checked_problem checked_linear_of(const problem& p, const network& n, const step& s,
                                          dense_layers::comparison* found, std::byte* memory) {
  linear::checked_problem layer{linear_of(p, n, s)};
  layer.plain = reinterpret_cast<double*>(memory);
  layer.found = found;
  return layer;
}

linear::checked_problem checked_linear_gradient_of(const problem& p, const network& n, const step& s,
                                                   dense_layers::comparison* found) {
  linear::checked_problem layer{linear_gradient_of(p, n, s)};
  layer.alike = layer.rows - n.level_at(s.level).real;
  layer.found = found;
  return layer;
}

std::int64_t linear_yardstick_bytes(const network& n, const step& s) {
  return 2 * std::int64_t{sizeof(double)} * n.rows_of(s);
}

}  // namespace ablate::backbone
