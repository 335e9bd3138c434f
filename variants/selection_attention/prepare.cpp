#include "variants/selection_attention/prepare.h"

#include <algorithm>
#include <memory>
#include <set>

#include "harness/inputs/random.h"
#include "oracles/selection_attention/reference.h"
#include "variants/row_errors.h"
#include "variants/selection_attention/buffers.h"

namespace ablate::selection_attention {
namespace {

using window_attention::accepted_lse_error;
using window_attention::accepted_row_error;

struct known_attention {
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
  std::vector<std::int32_t> lists;  ///< of the samples, one after the other
};

/// Whether an entry of a list is attended to.
bool is_block(const checked_problem& p, std::int32_t entry) {
  return entry >= p.lowest_entry() && entry < p.blocks();
}

/// Rows anywhere, the first and the last of a head among them.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  std::vector<sampled_row> rows = {{0, 0, below(p.heads)},
                                   {0, static_cast<std::int32_t>(p.tokens - 1), below(p.heads)}};
  while (static_cast<std::int64_t>(rows.size()) < p.sample_count)
    rows.push_back({0, below(p.tokens), below(p.heads)});
  return rows;
}

/// Blocks that query blocks attend to, by their lists or anyway.
std::int64_t count_entries(const checked_problem& p) {
  std::int64_t count = p.heads * p.blocks() * p.forced_blocks();
  if (!p.lists.is_short && p.first_frame != first_frame::masked)
    return count + p.heads * p.blocks() * std::min<std::int64_t>(p.selected, p.blocks() - p.forced_blocks());
  for (std::int64_t head = 0; head < p.heads; ++head)
    for (std::int64_t block = 0; block < p.blocks(); ++block)
      for (int slot = 0; slot < p.selected; ++slot) count += is_block(p, p.lists.block(head, block, slot));
  return count;
}

/// Entries of 8 neighboring lists over the blocks in their union: how many of the lists a block's keys could
/// serve at once. Of some groups of 8.
double list_reuse(const checked_problem& p, std::uint64_t seed) {
  constexpr int groups = 32;
  const std::int64_t whole = std::max<std::int64_t>(p.blocks() / sharing_blocks, 1);
  random_stream random(seed, "groups of lists");
  double entries = 0, blocks = 0;
  for (int i = 0; i < groups; ++i) {
    const std::int64_t head = random.below(static_cast<std::uint32_t>(p.heads));
    const std::int64_t first =
        sharing_blocks * static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(whole)));
    std::set<std::int32_t> distinct;
    for (std::int64_t block = first; block < std::min(first + sharing_blocks, p.blocks()); ++block)
      for (int slot = 0; slot < p.selected; ++slot)
        if (const std::int32_t entry = p.lists.block(head, block, slot); is_block(p, entry)) {
          distinct.insert(entry);
          ++entries;
        }
    blocks += static_cast<double>(distinct.size());
  }
  return blocks > 0 ? entries / blocks : 0;
}

window_attention::result_errors sampled_errors(const known_attention& known, const checked_problem& seen,
                                               std::size_t i) {
  return window_attention::errors_of(known.exact[i], width, seen.sampled_out + i * width,
                                     seen.sampled_lse + i);
}

check_result check(const checked_problem& p, const known_attention& known, const checked_problem& seen) {
  if (const auto fault = window_attention::fault_in(*seen.found, p.heads * p.tokens)) return *fault;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const auto fault = window_attention::fault_of(known.samples[i], sampled_errors(known, seen, i)))
      return *fault;
  return {true, "", seen.found->out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const known_attention& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
  window_attention::add_errors(figures, "out", seen.found->out, accepted_row_error);
  window_attention::add_errors(figures, "lse", seen.found->lse, accepted_lse_error);
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, sampled_errors(known, seen, i).out);
  figures["out_error_sampled"] = sampled;
  return figures;
}

/// Keys and values of a list's blocks, once for each tile of its queries.
std::int64_t gathered_bytes(const problem& p, std::int64_t entries) {
  return 4 * width * entries * p.block * (p.block / tile);
}

// Compulsory: Q, K and V read once, O and the log-sum-exp written, the table read, and what is gated; two
// products of a block's size an entry. A model beside it: what tiles of queries gather that share no list.
work_model work(const checked_problem& p, std::int64_t entries) {
  const auto elements = static_cast<double>(p.elements());
  const double written = 2 * elements + 4 * elements / width;
  const double gated = p.is_gated ? 2 * elements / p.block + 8 * elements / width : 0;
  return {
      .bytes = 6 * elements + written + gated + 4.0 * static_cast<double>(p.heads * p.blocks() * p.selected),
      .written_bytes = written,
      .flops = 4.0 * width * p.block * p.block * static_cast<double>(entries),
      .flop_pipe = "tensor_bf16",
      .exponentials = static_cast<double>(p.block) * p.block * static_cast<double>(entries),
      .gathered_bytes = static_cast<double>(gathered_bytes(p, entries))};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_row& row : known->samples) {
    known->exact.push_back(reference_row(p, row));
    for (int slot = 0; slot < p.selected; ++slot)
      known->lists.push_back(p.lists.block(row.head, row.row / p.block, slot));
  }
  const std::int64_t entries = count_entries(p);

  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(*known, attached(p, buffers, outputs));
  };
  // On the host only the sampled rows are computed; a full comparison needs a GPU.
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    const deviation none = window_attention::no_deviation(p.heads * p.tokens);
    *host.found = {none, none};
    for (std::size_t i = 0; i < known->exact.size(); ++i) {
      std::ranges::transform(known->exact[i].out, host.sampled_out + i * width,
                             [](double x) { return static_cast<float>(x); });
      host.sampled_lse[i] = static_cast<float>(known->exact[i].lse);
    }
  };
  w.work = work(p, entries);
  w.input = {{"hash", hash_hex(known->lists.data(), known->lists.size() * sizeof(std::int32_t))},
             {"tokens", p.tokens},
             {"blocks", p.blocks()},
             {"entries", entries},
             {"gathered_bytes", gathered_bytes(p, entries)},
             {"list_reuse", list_reuse(p, inputs.seed())}};
  w.storage = known;
  return w;
}

}  // namespace ablate::selection_attention
