#include "variants/gated_attention/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/findings.h"
#include "oracles/gated_attention/generated_gates.h"
#include "variants/global_attention/rows.h"
#include "variants/list_faults.h"

namespace ablate::gated_attention {
namespace {

using global_attention::accepted_lse_error, global_attention::accepted_row_error, global_attention::deviation,
    global_attention::fault_in_each_row, global_attention::fault_in_rows;

/// Pooled rows' errors are in units of what is accepted.
constexpr double accepted_pooling_error = 1;

std::optional<check_result> fault_of_pooling(const problem& p, const findings& found) {
  constexpr const char* names[] = {"pooled q", "pooled k", "pooled v"};
  for (std::size_t i = 0; i < block_pooling::tensors; ++i)
    if (auto fault =
            fault_in_each_row(names[i], found.pooled[i], p.heads * p.blocks(), accepted_pooling_error))
      return fault;
  return std::nullopt;
}

/// Each part, from what the one before it left.
std::optional<check_result> fault_of_parts(const checked_problem& p, const findings& found) {
  if (auto fault = fault_of_pooling(p, found)) return fault;
  if (auto fault = fault_in_rows("C", found.compression.of, checked_compression_of(p))) return fault;
  if (const auto fault = compression_attention::fault_of_lists(checked_compression_of(p), found.compression))
    return check_result{false, *fault};
  const selection_attention::checked_problem selection = checked_selection_of(p);
  const auto at = [&](const deviation& of) {
    return global_attention::placed(of, selection.compared_stride(), p.tokens, 0);
  };
  if (auto fault =
          fault_in_each_row("O", at(found.selection.out), selection.compared_rows(), accepted_row_error))
    return fault;
  return fault_in_each_row("log-sum-exp", at(found.selection.lse), selection.compared_rows(),
                           accepted_lse_error);
}

std::optional<check_result> fault_of_block(const checked_problem& p, const known_layer& known,
                                           const checked_problem& seen, std::size_t i) {
  const compression_attention::exact_row& exact = known.blocks[i];
  const sampled_row& at = known.block_samples[i];
  const double of_row =
                   window_attention::error_of(exact.out, seen.sampled_compressed + i * width, exact.scale),
               of_lse = global_attention::lse_error(exact.lse, seen.sampled_compressed_lse + i);
  if (!(of_row <= accepted_row_error))
    return window_attention::sampled_fault("C", at, of_row, accepted_row_error);
  if (!(of_lse <= accepted_lse_error))
    return window_attention::sampled_fault("log-sum-exp of C", at, of_lse, accepted_lse_error);
  if (!are_exact(p.what)) return std::nullopt;
  if (const auto fault = compression_attention::fault_of_list(at, exact.list, sampled_list(seen, i)))
    return check_result{false, *fault};
  return std::nullopt;
}

/// The same by the list that the layer chose.
exact_token expected_token(const checked_problem& p, const known_layer& known, const checked_problem& seen,
                           std::size_t i) {
  const std::size_t block = known.block_of_sample[i];
  const std::vector<std::int32_t> list = sampled_list(seen, block);
  if (list == known.blocks[block].list) return known.out[i];
  return layer_token(p, known, i, list);
}

std::vector<std::vector<std::int32_t>> sampled_lists(const known_layer& known, const checked_problem& seen) {
  std::vector<std::vector<std::int32_t>> lists;
  for (std::size_t i = 0; i < known.blocks.size(); ++i) lists.push_back(sampled_list(seen, i));
  return lists;
}

/// Entries of `neighbors` lists over the blocks in their union: how many of the lists a block's keys could
/// serve at once (the reuse r of docs/operations/selection_attention.md).
double list_sharing(const known_layer& known, const checked_problem& seen, std::size_t neighbors) {
  double entries = 0, distinct = 0;
  for (std::size_t first = 0; first + neighbors <= known.block_samples.size(); first += neighbors) {
    std::set<std::int32_t> blocks;
    for (std::size_t i = first; i < first + neighbors; ++i)
      for (const std::int32_t block : sampled_list(seen, i))
        if (block >= 0) {
          blocks.insert(block);
          ++entries;
        }
    distinct += static_cast<double>(blocks.size());
  }
  return distinct > 0 ? entries / distinct : 0;
}

}  // namespace

std::vector<std::int32_t> sampled_list(const checked_problem& seen, std::size_t i) {
  const std::int32_t* const first = seen.sampled_table + i * static_cast<std::size_t>(seen.selected);
  return {first, first + seen.selected};
}

exact_token layer_token(const checked_problem& p, const known_layer& known, std::size_t i,
                        const std::vector<std::int32_t>& list) {
  const sampled_row& at = known.samples[i];
  if (p.attends_to_all(at.row)) return known.dense[i];
  return gated(known.blocks[known.block_of_sample[i]], reference_selection(p, at.head, at.row, list),
               generated_gate(p, at.row, at.head, 0), generated_gate(p, at.row, at.head, 1));
}

double attended_tokens(const problem& p, const std::vector<std::vector<std::int32_t>>& lists) {
  const selection_attention::problem part = selection_of(p);
  const block_layout layout = p.layout();
  const auto tokens_of = [&](std::int64_t block) { return static_cast<double>(layout.span(block).count); };
  const auto all = static_cast<double>(p.tokens), special = all - static_cast<double>(layout.patches());
  double of_lists = 0, always = special;
  for (const std::vector<std::int32_t>& list : lists)
    for (const std::int32_t entry : list)
      if (entry >= part.lowest_entry() && entry < p.blocks()) of_lists += tokens_of(entry);
  for (int block = 0; block < part.forced_blocks(); ++block) always += tokens_of(block);
  const double of_frame = p.first_frame == first_frame::dense ? static_cast<double>(p.tokens_of_frame()) : 0;
  const double dense = special + of_frame;
  return (dense * all + (all - dense) * (always + of_lists / static_cast<double>(lists.size()))) / all;
}

check_result check(const checked_problem& p, const known_layer& known, const checked_problem& seen) {
  if (p.stops_ahead) return fault_of_pooling(p, *seen.found).value_or(check_result{.ok = true});
  if (const auto fault = fault_of_parts(p, *seen.found)) return *fault;
  for (std::size_t i = 0; i < known.blocks.size(); ++i)
    if (const auto fault = fault_of_block(p, known, seen, i)) return *fault;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const auto fault =
            global_attention::fault_of_token(known.samples[i], expected_token(p, known, seen, i), seen, i))
      return *fault;
  return {true, "", seen.found->selection.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& p, const known_layer& known,
                               const checked_problem& seen) {
  if (p.stops_ahead) return {{"compared_rows", seen.found->pooled[0].rows}};
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, global_attention::sampled_error(expected_token(p, known, seen, i), seen, i));
  nlohmann::ordered_json figures = global_attention::error_figures(seen.found->selection, sampled);
  window_attention::add_errors(figures, "compressed", seen.found->compression.of.out, accepted_row_error);
  figures["compared_lists"] = seen.found->compression.lists;
  // Sparsity of the selection's pairs; and of the operations, with those of compression.
  const auto tokens = static_cast<double>(p.tokens), blocks = static_cast<double>(p.blocks());
  const double kept = attended_tokens(p, sampled_lists(known, seen)) / tokens;
  figures["sparsity_selection"] = 1 - kept;
  figures["sparsity_flops"] = 1 - kept - blocks / tokens * blocks / tokens;
  figures["attention_mass_kept"] = global_attention::kept_mass(known.dense, seen);
  figures["list_sharing_8"] = list_sharing(known, seen, 8);
  figures["list_sharing_16"] = list_sharing(known, seen, 16);
  return figures;
}

}  // namespace ablate::gated_attention
