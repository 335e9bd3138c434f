#include "variants/gated_attention_backward/prepare.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "oracles/gated_attention_backward/checked_selection_attention.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention_backward/buffers.h"
#include "variants/gated_attention_backward/check.h"
#include "variants/global_attention_backward/prepare.h"
#include "variants/row_errors.h"

namespace ablate::gated_attention_backward {
namespace {

std::size_t count_of_samples(const checked_problem& p) {
  return static_cast<std::size_t>(p.forward_checks.sample_count);
}

/// Tokens whose dK and dV are read: of a block that the list of a sampled block in the middle names.
void sample_keys(const checked_problem& p, known_gradients& known) {
  const std::vector<compression_attention::exact_row>& blocks = known.forward->blocks;
  const std::vector<std::int32_t>& list = blocks[blocks.size() / 2].list;
  const std::int64_t block = std::max(list[list.size() / 2], 0);
  const auto count = static_cast<std::int64_t>(count_of_samples(p));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = block * p.forward.block + i * p.forward.block / count;
    known.samples.push_back(
        {known.samples.front().batch, static_cast<std::int32_t>(row), known.samples.front().head});
  }
}

/// Of the same row, what is known already.
graded_row query_gradient(const head_values& rows, std::int64_t row, const std::vector<std::int64_t>& done,
                          const std::vector<graded_row>& known) {
  const auto same = std::ranges::find(done, row);
  return same == done.end() ? exact_query_gradient(rows, row)
                            : known[static_cast<std::size_t>(same - done.begin())];
}

/// dk̄ and dv̄ of the block that the sampled keys are in.
void know_keys(const checked_problem& p, const head_values& rows, known_gradients& known) {
  if (!p.knows_keys()) return;
  std::vector<std::int64_t> all(static_cast<std::size_t>(p.forward.blocks()));
  std::iota(all.begin(), all.end(), 0);
  known.keys = exact_key_gradients(rows, known.samples[count_of_samples(p)].row / p.forward.block, all);
}

known_gradients know(const checked_problem& p, std::uint64_t seed) {
  known_gradients known;
  known.forward =
      std::make_shared<const gated_attention::known_layer>(gated_attention::know(p.checked_forward(), seed));
  known.samples = known.forward->samples;
  sample_keys(p, known);
  const head_values rows = pooled_head(generated_head(p, p.sampled_head, {}), pooled_rounding::bf16,
                                       known.forward->pooled_keys, known.forward->pooled_values);
  std::vector<std::int64_t> done;
  for (std::size_t i = 0; i < count_of_samples(p); ++i) {
    const std::int64_t row = known.samples[i].row / p.forward.block;
    known.queries.push_back(query_gradient(rows, row, done, known.queries));
    done.push_back(row);
  }
  know_keys(p, rows, known);
  return known;
}

void store(const row& from, float* to) {
  std::ranges::transform(from, to, [](double x) { return static_cast<float>(x); });
}

/// dQ of the sampled tokens, the gradients of gates and dC, by the oracle's own lists.
void write_tokens(const checked_problem& p, const known_gradients& known, float* sampled, float* gates) {
  for (std::size_t i = 0; i < count_of_samples(p); ++i) {
    const gated_attention::known_layer& forward = *known.forward;
    const expected_token exact = expect_token(p, known, i, forward.blocks[forward.block_of_sample[i]].list);
    store(exact.query.of, sampled + i * width);
    float* const to = gates + i * (2 + width);
    to[0] = static_cast<float>(exact.gates[0]);
    to[1] = static_cast<float>(exact.gates[1]);
    store(exact.compressed, to + 2);
  }
}

/// dK and dV of the sampled keys.
void write_keys(const checked_problem& p, const known_gradients& known, float* sampled, std::int32_t* lists) {
  if (!p.knows_keys()) return;
  std::ranges::copy(lists_of_head(p, known), lists);
  const key_gradients exact = expect_keys(p, known, lists);
  const std::size_t count = count_of_samples(p);
  for (std::size_t i = 0; !exact.k.empty() && i < count; ++i) {
    const auto at = static_cast<std::size_t>(known.samples[count + i].row % p.forward.block);
    store(exact.k[at].of, sampled + (count + i) * width);
    store(exact.v[at].of, sampled + (2 * count + i) * width);
  }
}

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, const known_gradients& known, const checked_problem& host) {
  using window_attention::no_deviation;
  findings& found = *host.found;
  found = {};
  for (window_attention::deviation& of : found.rows.of)
    of = no_deviation(p.compared_heads().count * p.padded_rows());
  const selection_attention_backward::checked_problem selection = checked_selection_of(p, true);
  found.selected.out = found.selected.lse = no_deviation(checked_selected_of(p).compared_rows());
  for (window_attention::deviation& of : found.gradient.of) of = no_deviation(selection.compared_rows());
  found.gradient.gates = no_deviation(2 * selection.rows());
  found.gradient.compressed = no_deviation(p.forward.heads * p.forward.blocks());
  write_tokens(p, known, host.sampled_gradients, host.sampled_gates);
  write_keys(p, known, host.sampled_gradients, host.sampled_lists);
}

}  // namespace

double modelled_bytes(const problem& p) {
  const gated_attention::problem& f = p.forward;
  const auto elements = static_cast<double>(f.elements()), rows = elements / width,
             blocks = static_cast<double>(f.heads * f.blocks());
  // S; means of Q, K and V, C and its log-sum-exp; gates and their gradients; the lists, and turned around.
  return global_attention_backward::modelled_bytes(f) + 2 * elements + blocks * (4 * 2 * width + 4) +
         2 * 8 * rows + blocks * (2 * 4.0 * f.selected + 8);
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const auto known = std::make_shared<const known_gradients>(know(p, inputs.seed()));
  const auto forward = std::make_shared<const workload>(workload_of(p.checked_forward(), known->forward));
  workload w;
  w.contents = contents_of(p, buffers, {{"gradient_samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    write_reference(p, *known, attached(p, buffers, addresses));
  };
  w.work = global_attention_backward::work_of(p.forward, p.work, forward->work,
                                              8 * static_cast<double>(p.forward.elements()) / width);
  w.input = global_attention_backward::input_facts(p.forward, modelled_bytes(p));
  w.storage = known;
  return global_attention_backward::behind(forward, std::move(w));
}

}  // namespace ablate::gated_attention_backward
