#include "variants/gated_attention/prepare.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/findings.h"
#include "oracles/gated_attention/reference.h"
#include "variants/gated_attention/buffers.h"
#include "variants/gated_attention/check.h"
#include "variants/global_attention/rows.h"
#include "variants/global_attention/samples.h"

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

/// Tokens of sampled blocks, the first and the last among them.
void sample_tokens(const checked_problem& p, std::int32_t head, random_stream& random, known_layer& known) {
  const auto below = [&](std::size_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const auto take = [&](std::int64_t token) {
    known.samples.push_back({0, static_cast<std::int32_t>(token), head});
  };
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const bool is_last = i + 1 == p.sample_count;
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

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, const known_layer& known, const checked_problem& host) {
  using window_attention::no_deviation;
  findings& found = *host.found;
  const auto selected = no_deviation(checked_selection_of(p).compared_rows());
  std::ranges::fill(found.pooled, no_deviation(p.heads * p.blocks()));
  found.compression = global_attention::no_fault_in(checked_compression_of(p));
  found.selection = {selected, selected};
  for (std::size_t i = 0; i < known.blocks.size(); ++i) {
    global_attention::store(known.blocks[i].out, host.sampled_compressed, i);
    host.sampled_compressed_lse[i] = static_cast<float>(known.blocks[i].lse);
    std::ranges::copy(known.blocks[i].list, host.sampled_table + i * static_cast<std::size_t>(p.selected));
  }
  global_attention::store(known.out, host);
}

/// Products at full resolution, of each token with those that it attends to.
double full_products(const problem& p, double attended) {
  return static_cast<double>(p.heads * width) * static_cast<double>(p.tokens) * attended;
}

// Compulsory, whatever is handed from part to part: q, k, v and the gates read once, O and the log-sum-exp
// written. Products: of all blocks, and of each block with those that it attends to
// (docs/operations/gated_attention.md, Work).
work_model work(const problem& p, double attended) {
  const auto all = static_cast<double>(p.elements()), blocks = static_cast<double>(p.blocks());
  // Pooling alone adds, and leaves a row of each tensor a block.
  if (p.stops_ahead) {
    const double pooled = 6.0 * width * static_cast<double>(p.heads * p.blocks());
    return {.bytes = 6 * all + pooled, .written_bytes = pooled};
  }
  const double written = 2 * all + 4 * all / width;
  const double products = full_products(p, attended) + static_cast<double>(p.heads * width) * blocks * blocks;
  return {.bytes = 6 * all + written + 8 * all / width,
          .written_bytes = written,
          .flops = 4 * products,
          .flop_pipe = "tensor_bf16",
          .exponentials = products / width};
}

}  // namespace

std::int64_t groups_of_samples(const problem& p) {
  return std::clamp<std::int64_t>(p.blocks() / neighboring_lists, 1, max_groups);
}

known_layer know(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const std::int32_t head = global_attention::sampled_head(p, random);
  known_layer known;
  known.block_samples = sample_blocks(p, head);
  sample_tokens(p, head, random, known);

  const exact_head exact =
      global_attention::reference_with_means(p.as_layer(), head, global_attention::rows_of(known.samples));
  known.dense = exact.dense;
  known.pooled_keys = exact.pooled_keys;
  known.pooled_values = exact.pooled_values;
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
  const double attended = attended_tokens(p, lists);
  w.work = work(p, attended);
  const std::int64_t query_tiles = p.layout().is_cut() ? p.blocks() : p.tokens / selection_attention::tile;
  w.input = {
      {"hash", global_attention::input_hash(p.as_layer(), known->samples)},
      {"tokens", p.tokens},
      {"attending_rows", p.heads * p.tokens},
      {"full_resolution_flops", std::llround(4 * full_products(p, attended))},
      {"blocks", p.blocks()},
      {"gathered_bytes", 4 * width * p.heads * std::llround(static_cast<double>(query_tiles) * attended)}};
  w.storage = known;
  return w;
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  return workload_of(p, std::make_shared<const known_layer>(know(p, inputs.seed())));
}

}  // namespace ablate::gated_attention
