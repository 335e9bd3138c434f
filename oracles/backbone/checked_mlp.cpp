#include "oracles/backbone/checked_mlp.h"

#include "kernels/common/memory_cutter.h"
#include "kernels/network/parts.h"
#include "kernels/training/gradient_parts.h"

namespace ablate::backbone {
namespace {

mlp::checked_problem with_alike_rows(const problem& p, const network& n, const step& s) {
  if (s.kind == step_kind::mlp) return {mlp_of(p, n, s)};
  mlp::checked_problem both{mlp_gradient_of(p, n, s)};
  both.alike = both.rows - n.level_at(s.level).real;
  return both;
}

std::int64_t cut_plain(mlp::checked_problem& both, std::byte* memory) {
  memory_cutter cutter{memory};
  cutter.cut(both.moments, 2 * both.rows);
  cutter.cut(both.plain_hidden, both.rows * both.hidden_columns());
  if (both.is_backward) {
    cutter.cut(both.plain_z_gradient, both.rows * both.first_columns());
    cutter.cut(both.plain_rows, both.rows * (2 * both.channels + mlp::plain_of_row));
  }
  return static_cast<std::int64_t>(cutter.used);
}

}  // namespace

mlp::checked_problem checked_mlp_of(const problem& p, const network& n, const step& s,
                                    dense_layers::comparison* found, std::byte* memory) {
  mlp::checked_problem both = with_alike_rows(p, n, s);
  cut_plain(both, memory);
  both.found = found;
  return both;
}

std::int64_t mlp_yardstick_bytes(const network& n, const step& s) {
  mlp::checked_problem both = with_alike_rows({}, n, s);
  return cut_plain(both, nullptr);
}

}  // namespace ablate::backbone
