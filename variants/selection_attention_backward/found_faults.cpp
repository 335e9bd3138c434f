#include "variants/selection_attention_backward/found_faults.h"

#include <array>
#include <cstdint>

#include "variants/row_errors.h"

namespace ablate::selection_attention_backward {
namespace {

using window_attention::fault_in_each_row;

constexpr std::array<const char*, 3> names = {"dQ", "dK", "dV"};

/// Its worst row is `row` of all heads' rows, `rows` per head.
window_attention::deviation placed(window_attention::deviation found, std::int64_t row, std::int64_t rows) {
  found.worst.row = static_cast<std::int32_t>(row % rows);
  found.worst.head = static_cast<std::int32_t>(row / rows);
  return found;
}

}  // namespace

std::optional<check_result> fault_of_gradient(const checked_problem& p, const deviations& found,
                                              std::size_t gradient) {
  const window_attention::deviation& of = found.of[gradient];
  // Where it is among all rows, not among those that are compared.
  return fault_in_each_row(names[gradient],
                           placed(of, of.worst.row * p.compared_stride(), p.attention.tokens),
                           p.compared_rows(), accepted_row_error);
}

std::optional<check_result> fault_of_found_gates(const checked_problem& p, const deviations& found) {
  window_attention::deviation gates = found.gates;
  // Compared one after the other as they are in memory.
  const std::int64_t number = gates.worst.row;
  gates.worst.row = static_cast<std::int32_t>(number / 2 / p.attention.heads);
  gates.worst.head = static_cast<std::int32_t>(number / 2 % p.attention.heads);
  gates.worst.element = static_cast<std::int32_t>(number % 2);
  if (auto fault = fault_in_each_row("gates", gates, 2 * p.rows(), accepted_gate_error)) return fault;
  return fault_in_each_row("dC", placed(found.compressed, found.compressed.worst.row, p.attention.blocks()),
                           p.attention.heads * p.attention.blocks(), accepted_row_error);
}

}  // namespace ablate::selection_attention_backward
