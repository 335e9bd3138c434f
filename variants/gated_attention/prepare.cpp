#include "variants/gated_attention/prepare.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/reference.h"
#include "variants/gated_attention/block_sparse.h"
#include "variants/gated_attention/buffers.h"
#include "variants/gated_attention/check.h"
#include "variants/gated_attention/merged.h"
#include "variants/gated_attention/pooled_keys.h"
#include "variants/gated_attention/rows.h"

namespace ablate::gated_attention {
namespace {

/// Groups of neighboring blocks all along a head, its first block and its last among them.
std::vector<sampled_row> sample_blocks(const checked_problem& p, std::int32_t head) {
  const std::int64_t groups = groups_of_samples(p), last = p.blocks() - neighboring_lists;
  std::vector<sampled_row> blocks;
  for (std::int64_t group = 0; group < groups; ++group) {
    // A kernel that shares what neighbors read would take groups that begin at multiples.
    const std::int64_t first =
        group + 1 == groups ? last : last * group / groups / neighboring_lists * neighboring_lists;
    for (std::int64_t i = first; i < first + neighboring_lists; ++i)
      blocks.push_back({0, static_cast<std::int32_t>(i), head});
  }
  return blocks;
}

/// Tokens of sampled blocks, or of those that attend where attention is dense; the first and the last among
/// them.
void sample_tokens(const checked_problem& p, std::int32_t head, random_stream& random, known_layer& known) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const auto take = [&](std::int64_t token) {
    known.samples.push_back({0, static_cast<std::int32_t>(token), head});
  };
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const bool is_last = i + 1 == p.sample_count;
    if (!p.is_sparse()) {
      const std::int64_t end = p.attending_tokens();
      take(p.first_query + (i == 0 ? 0 : is_last ? end - 1 : below(static_cast<std::size_t>(end))));
      continue;
    }
    const std::size_t blocks = known.block_samples.size();
    const auto block = static_cast<std::size_t>(i == 0    ? 0
                                                : is_last ? static_cast<std::int64_t>(blocks) - 1
                                                          : below(blocks));
    const token_span span = p.layout().span(known.block_samples[block].row);
    const std::int64_t in_block = i == 0    ? 0
                                  : is_last ? span.count - 1
                                            : below(static_cast<std::size_t>(span.count));
    known.block_of_sample.push_back(block);
    // The second one is special, where there are such tokens, and attends to all.
    const bool is_special = i == 1 && p.layout().patches() < p.tokens;
    take(is_special ? p.tokens - 1 : span.first + in_block);
  }
}

/// On the host only the samples are computed; whoever looks at the whole takes a GPU.
void write_reference(const checked_problem& p, const known_layer& known, const checked_problem& host) {
  using window_attention::no_deviation;
  findings& found = *host.found;
  const compression_attention::checked_problem rows =
      p.is_sparse() ? checked_compression_of(p) : checked_dense_of(p);
  const auto none = no_deviation(rows.compared_rows()),
             selected = no_deviation(checked_selection_of(p).compared_rows());
  std::ranges::fill(found.pooled, no_deviation(p.heads * p.blocks()));
  found.compression = {{none, none}, static_cast<unsigned long long>(rows.compared_rows()), 0, ~0ull};
  found.selection = {selected, selected};
  for (std::size_t i = 0; i < known.blocks.size(); ++i) {
    store(known.blocks[i].out, host.sampled_compressed, i);
    host.sampled_compressed_lse[i] = static_cast<float>(known.blocks[i].lse);
    std::ranges::copy(known.blocks[i].list, host.sampled_table + i * static_cast<std::size_t>(p.selected));
  }
  for (std::size_t i = 0; i < known.out.size(); ++i) {
    store(known.out[i].out, host.sampled_out, i);
    host.sampled_lse[i] = static_cast<float>(known.out[i].lse);
  }
}

/// Products at full resolution: of all tokens, or of each with those that it attends to.
double full_products(const problem& p, double attended) {
  const auto tokens = static_cast<double>(p.tokens), elements = static_cast<double>(p.heads * width);
  return p.is_sparse() ? elements * tokens * attended
                       : elements * static_cast<double>(p.attending_tokens()) * tokens;
}

// Compulsory, whatever the method hands from part to part: q, k and v read once, O and the log-sum-exp
// written, and the gates read where there are any. Products: of all tokens; or of all blocks, and of each
// block with those that it attends to (docs/operations/gated_attention.md, Work).
work_model work(const problem& p, double attended) {
  // Pooling alone adds, and leaves a row of each tensor a block.
  if (p.stops_ahead) {
    const double pooled = 6.0 * width * static_cast<double>(p.heads * p.blocks());
    return {.bytes = 6 * static_cast<double>(p.elements()) + pooled, .written_bytes = pooled};
  }
  const auto all = static_cast<double>(p.elements());
  const double attending = all * static_cast<double>(p.attending_tokens()) / static_cast<double>(p.tokens);
  const double written = 2 * attending + 4 * attending / width;
  const auto blocks = static_cast<double>(p.blocks());
  const double products = full_products(p, attended) +
                          (p.is_sparse() ? static_cast<double>(p.heads * width) * blocks * blocks : 0);
  return {.bytes = 4 * all + 2 * attending + written + (p.is_sparse() ? 8 * all / width : 0),
          .written_bytes = written,
          .flops = 4 * products,
          .flop_pipe = "tensor_bf16"};
}

}  // namespace

std::int64_t groups_of_samples(const problem& p) {
  return std::clamp<std::int64_t>(p.blocks() / neighboring_lists, 1, most_groups);
}

std::int32_t sampled_head(const problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(p.heads)));
}

known_layer know(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto head = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(p.heads)));
  known_layer known;
  if (p.is_sparse()) known.block_samples = sample_blocks(p, head);
  sample_tokens(p, head, random, known);

  std::vector<std::int64_t> tokens;
  for (const sampled_row& at : known.samples) tokens.push_back(at.row);
  const exact_head exact = walk_head(p, head, tokens);
  known.dense = exact.dense;
  known.pooled_keys = exact.pooled_keys;
  known.pooled_values = exact.pooled_values;
  if (p.method == method::pooled_keys) {
    for (const std::int64_t token : tokens) known.out.push_back(reference_to_means(p, exact, head, token));
    return known;
  }
  if (!p.is_sparse()) {
    known.out = exact.dense;
    return known;
  }
  for (const sampled_row& at : known.block_samples)
    known.blocks.push_back(reference_block(p, exact, head, at.row));
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    known.out.push_back(layer_token(p, known, i, known.blocks[known.block_of_sample[i]].list));
  return known;
}

workload workload_of(const checked_problem& p, const std::shared_ptr<const known_layer>& known) {
  workload w;
  w.contents = contents_of(p, buffers,
                           {{"block_samples", std::as_bytes(std::span(known->block_samples))},
                            {"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    write_reference(p, *known, attached(p, buffers, addresses));
  };
  std::vector<std::vector<std::int32_t>> lists;
  for (const compression_attention::exact_row& block : known->blocks) lists.push_back(block.list);
  const double attended = p.is_sparse() ? attended_tokens(p, lists) : 0;
  w.work = work(p, attended);
  w.input = {{"hash", input_hash(p, known->samples)},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.attending_tokens()},
             {"full_resolution_flops", std::llround(4 * full_products(p, attended))}};
  if (p.is_sparse()) {
    const std::int64_t query_tiles = p.layout().is_cut() ? p.blocks() : p.tokens / selection_attention::tile;
    w.input["blocks"] = p.blocks();
    w.input["gathered_bytes"] =
        4 * width * p.heads * std::llround(static_cast<double>(query_tiles) * attended);
  }
  w.storage = known;
  return w;
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  if (p.method == method::block_sparse) return prepare_block_sparse(p, inputs);
  if (p.method == method::merged) return prepare_merged(p, inputs);
  if (p.method == method::pooled_keys) return prepare_pooled_keys(p, inputs);
  return workload_of(p, std::make_shared<const known_layer>(know(p, inputs.seed())));
}

}  // namespace ablate::gated_attention
