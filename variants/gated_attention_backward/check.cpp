#include "variants/gated_attention_backward/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/checked_selection_attention.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "variants/row_errors.h"
#include "variants/selection_attention_backward/found_faults.h"
#include "variants/window_attention_backward/gradient_check.h"

namespace ablate::gated_attention_backward {
namespace {

using selection_attention_backward::accepted_row_error;
using window_attention::deviation;
using window_attention::fault_in_each_row;
using window_attention::tensor;

constexpr std::array<const char*, gradients> names = {"dQ", "dK", "dV"};

const float* row_of(const checked_problem& seen, std::size_t gradient, std::size_t i) {
  return seen.sampled_gradients +
         (gradient * static_cast<std::size_t>(seen.forward_checks.sample_count) + i) * width;
}
/// Of the block of sampled token `i`.
std::vector<std::int32_t> list_of(const checked_problem& seen, const known_gradients& known, std::size_t i) {
  return gated_attention::sampled_list(seen.checked_forward(), known.forward->block_of_sample[i]);
}

std::optional<check_result> fault_of_parts(const checked_problem& p, const findings& found) {
  const std::int64_t rows = p.compared_heads().count * p.padded_rows();
  constexpr std::array<const char*, gradients> pooled = {"dq of pooled rows", "dk of pooled rows",
                                                         "dv of pooled rows"};
  for (std::size_t i = 0; i < gradients; ++i)
    if (auto fault = fault_in_each_row(pooled[i], found.rows.of[i], rows,
                                       window_attention_backward::accepted_row_error))
      return fault;
  if (found.wrongly_moved != 0)
    return check_result{false,
                        fmt::format("pooled rows in whole tiles: {} elements are not those of the rows",
                                    found.wrongly_moved)};
  if (found.not_turned != 0 || found.turned_around != found.listed)
    return check_result{
        false, fmt::format("lists turned around: {} entries for {} of lists, of which {} are in no row",
                           found.turned_around, found.listed, found.not_turned)};
  const std::int64_t compared = checked_selected_of(p).compared_rows();
  if (auto fault = fault_in_each_row("S", found.selected.out, compared, window_attention::accepted_row_error))
    return fault;
  const selection_attention_backward::checked_problem selection = checked_selection_of(p, true);
  if (auto fault = selection_attention_backward::fault_of_found_gates(selection, found.gradient))
    return fault;
  for (std::size_t i = 0; i < gradients; ++i)
    if (auto fault = selection_attention_backward::fault_of_gradient(selection, found.gradient, i))
      return fault;
  return std::nullopt;
}

double norm(const row& of) {
  double squared = 0;
  for (const double x : of) squared += x * x;
  return std::sqrt(squared);
}

std::optional<check_result> fault_of_row(const checked_problem& p, const known_gradients& known,
                                         const checked_problem& seen, std::size_t gradient, std::size_t i,
                                         const graded_row& exact) {
  const double error = error_of(exact, row_of(seen, gradient, i));
  if (error <= accepted_row_error) return std::nullopt;
  const auto first = gradient == 0 ? 0 : static_cast<std::size_t>(p.forward_checks.sample_count);
  return window_attention::sampled_fault(names[gradient], known.samples[first + i], error,
                                         accepted_row_error);
}

std::optional<check_result> fault_of_token(const checked_problem& p, const known_gradients& known,
                                           const checked_problem& seen, std::size_t i) {
  const expected_token exact = expect_token(p, known, i, list_of(seen, known, i));
  if (auto fault = fault_of_row(p, known, seen, 0, i, exact.query)) return fault;
  const float* const gates = seen.sampled_gates + i * (2 + width);
  for (std::size_t which = 0; which < 2; ++which)
    if (const double error = std::abs(gates[which] - exact.gates[which]);
        !(error <= exact.accepted_of_gates[which]))
      return window_attention::sampled_fault(
          which == 0 ? "gradient of the compression's gate" : "gradient of the selection's gate",
          known.samples[i], error, exact.accepted_of_gates[which]);
  if (const double error = window_attention::error_of(exact.compressed, gates + 2, norm(exact.compressed));
      !(error <= accepted_row_error))
    return window_attention::sampled_fault("dC of the block", known.samples[i], error, accepted_row_error);
  return std::nullopt;
}

std::optional<check_result> fault_of_keys(const checked_problem& p, const known_gradients& known,
                                          const checked_problem& seen) {
  if (!p.knows_keys()) return std::nullopt;
  const key_gradients exact = expect_keys(p, known, seen.sampled_lists);
  const auto count = static_cast<std::size_t>(p.forward_checks.sample_count);
  for (std::size_t i = 0; !exact.k.empty() && i < count; ++i) {
    const auto at = static_cast<std::size_t>(known.samples[count + i].row % p.forward.block);
    if (auto fault = fault_of_row(p, known, seen, 1, i, exact.k[at])) return fault;
    if (auto fault = fault_of_row(p, known, seen, 2, i, exact.v[at])) return fault;
  }
  return std::nullopt;
}

}  // namespace

expected_token expect_token(const checked_problem& p, const known_gradients& known, std::size_t i,
                            const std::vector<std::int32_t>& list) {
  const sampled_row& at = known.samples[i];
  const std::int64_t block = at.row / p.forward.block;
  const compression_attention::exact_row& compressed =
      known.forward->blocks[known.forward->block_of_sample[i]];
  head_values head = generated_head(
      p, at.head, [&list](std::int64_t, int slot) { return list[static_cast<std::size_t>(slot)]; });
  head.compressed = [&compressed](std::int64_t) { return compressed.out; };
  const double accepted =
      window_attention::accepted_row_error * norm(head.values(tensor::out_gradient, at.row));
  const double selected_scale =
      gated_attention::reference_selection(p.checked_forward(), at.head, at.row, list).scale;
  return {both_ways(exact_query_gradient(head, at.row), known.queries[i], p.forward.block),
          exact_gate_gradients(head, at.row),
          {accepted * compressed.scale, accepted * selected_scale},
          exact_compressed_gradient(head, block)};
}

key_gradients expect_keys(const checked_problem& p, const known_gradients& known, const std::int32_t* lists) {
  const auto selected = static_cast<std::int64_t>(p.forward.selected);
  const head_values head = generated_head(
      p, p.sampled_head, [&](std::int64_t block, int slot) { return lists[block * selected + slot]; });
  const std::int64_t block =
      known.samples[static_cast<std::size_t>(p.forward_checks.sample_count)].row / p.forward.block;
  const std::vector<std::int64_t> named_by = query_blocks_of(head, block);
  if (static_cast<std::int64_t>(named_by.size()) > 4 * selected) return {};
  key_gradients both = exact_key_gradients(head, block, named_by);
  for (std::size_t i = 0; i < both.k.size(); ++i) {
    both.k[i] = both_ways(both.k[i], known.keys.k.front(), p.forward.block);
    both.v[i] = both_ways(both.v[i], known.keys.v.front(), p.forward.block);
  }
  return both;
}

std::vector<std::int32_t> lists_of_head(const checked_problem& p, const known_gradients& known) {
  const gated_attention::exact_head head{{}, known.forward->pooled_keys, known.forward->pooled_values};
  const gated_attention::checked_problem forward = p.checked_forward();
  std::vector<std::int32_t> lists;
  for (std::int64_t block = 0; block < p.forward.blocks(); ++block) {
    const std::vector<std::int32_t> list =
        gated_attention::reference_block(forward, head, p.sampled_head, block).list;
    lists.insert(lists.end(), list.begin(), list.end());
  }
  return lists;
}

check_result check(const checked_problem& p, const known_gradients& known, const checked_problem& seen) {
  if (const auto fault = fault_of_parts(p, *seen.found)) return *fault;
  for (std::size_t i = 0; i < known.queries.size(); ++i)
    if (const auto fault = fault_of_token(p, known, seen, i)) return *fault;
  if (const auto fault = fault_of_keys(p, known, seen)) return *fault;
  double greatest = 0;
  for (std::size_t i = 0; i < gradients; ++i)
    greatest = std::max<double>(greatest, seen.found->gradient.of[i].worst.error);
  return {true, "", greatest, accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& p, const known_gradients& known,
                               const checked_problem& seen) {
  nlohmann::ordered_json figures;
  constexpr std::array<const char*, gradients> keys = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients; ++i)
    window_attention::add_errors(figures, keys[i], seen.found->gradient.of[i], accepted_row_error);
  double sampled = 0;
  for (std::size_t i = 0; i < known.queries.size(); ++i) {
    const graded_row exact = expect_token(p, known, i, list_of(seen, known, i)).query;
    sampled = std::max(sampled, error_of(exact, row_of(seen, 0, i)));
  }
  figures["dq_error_sampled"] = sampled;
  return figures;
}

}  // namespace ablate::gated_attention_backward
