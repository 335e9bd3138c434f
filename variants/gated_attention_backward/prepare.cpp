#include "variants/gated_attention_backward/prepare.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/checked_selection_attention.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention_backward/block_sparse.h"
#include "variants/gated_attention_backward/buffers.h"
#include "variants/gated_attention_backward/check.h"
#include "variants/row_errors.h"

namespace ablate::gated_attention_backward {
namespace {

std::size_t count_of_samples(const checked_problem& p) {
  return static_cast<std::size_t>(p.forward_checks.sample_count);
}

/// Tokens whose dK and dV are read: of a block that the list of a sampled block in the middle names; or
/// anywhere.
void sample_keys(const checked_problem& p, known_gradients& known) {
  const std::vector<compression_attention::exact_row>& blocks = known.forward->blocks;
  std::int64_t block = 0;
  if (p.is_sparse()) {
    const std::vector<std::int32_t>& list = blocks[blocks.size() / 2].list;
    block = std::max(list[list.size() / 2], 0);
  }
  const auto count = static_cast<std::int64_t>(count_of_samples(p));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = p.is_sparse() ? block * p.forward.block + i * p.forward.block / count
                                           : (p.forward.tokens - 1) * i / (count - 1);
    known.samples.push_back(
        {known.samples.front().batch, static_cast<std::int32_t>(row), known.samples.front().head});
  }
}

/// The rows that all attend to each other.
head_values rows_among_all(const checked_problem& p, const known_gradients& known) {
  const head_values tokens = made_head(p, p.sampled_head, {});
  if (!p.is_sparse()) return all_to_all(p.forward.tokens, tokens.values);
  return pooled_head(tokens, pooled_rounding::bf16, known.forward->pooled_keys, known.forward->pooled_values);
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
  std::vector<std::int64_t> all(static_cast<std::size_t>(p.rows()));
  std::iota(all.begin(), all.end(), 0);
  known.keys = exact_key_gradients(rows, known.samples[count_of_samples(p)].row / p.forward.block, all);
}

known_gradients know(const checked_problem& p, std::uint64_t seed) {
  known_gradients known;
  known.forward =
      std::make_shared<const gated_attention::known_layer>(gated_attention::know(p.checked_forward(), seed));
  known.samples = known.forward->samples;
  if (!p.is_sparse())
    for (sampled_row& at : known.samples)
      at = {static_cast<std::int32_t>(p.sampled_head - p.compared_head()), at.row, 0};
  sample_keys(p, known);
  const head_values rows = rows_among_all(p, known);
  std::vector<std::int64_t> done;
  for (std::size_t i = 0; i < count_of_samples(p); ++i) {
    const std::int64_t token = known.samples[i].row, row = p.is_sparse() ? token / p.forward.block : token;
    known.queries.push_back(query_gradient(rows, row, done, known.queries));
    done.push_back(row);
  }
  know_keys(p, rows, known);
  return known;
}

void store(const row& from, float* to) {
  std::ranges::transform(from, to, [](double x) { return static_cast<float>(x); });
}

/// dQ of the sampled tokens and, where the method is sparse, the gradients of gates and dC, by the oracle's
/// own lists.
void write_tokens(const checked_problem& p, const known_gradients& known, float* sampled, float* gates) {
  for (std::size_t i = 0; i < count_of_samples(p); ++i) {
    if (!p.is_sparse()) {
      store(known.queries[i].of, sampled + i * width);
      continue;
    }
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

/// On the host only the samples are computed; whoever looks at the whole takes a GPU.
void write_reference(const checked_problem& p, const known_gradients& known, const checked_problem& host) {
  using window_attention::no_deviation;
  findings& found = *host.found;
  found = {};
  for (window_attention::deviation& of : found.rows.of)
    of = no_deviation(p.compared_heads() * p.padded_rows());
  if (p.is_sparse()) {
    const selection_attention_backward::checked_problem selection = checked_selection_of(p, true);
    found.selected.out = found.selected.lse = no_deviation(checked_selected_of(p).compared_rows());
    for (window_attention::deviation& of : found.gradient.of) of = no_deviation(selection.compared_rows());
    found.gradient.gates = no_deviation(2 * selection.rows());
    found.gradient.compressed = no_deviation(p.forward.heads * p.forward.blocks());
  }
  write_tokens(p, known, host.sampled_gradients, host.sampled_gates);
  write_keys(p, known, host.sampled_gradients, host.sampled_lists);
}

// Compulsory, whatever the method hands from part to part: Q, K, V, dO and gates read once, O, the
// log-sum-exp and four kinds of gradients written; or, backward alone, O and the log-sum-exp read. Two
// products forward, five backward.
work_model work(const problem& p, const work_model& forward) {
  const double elements = static_cast<double>(p.forward.elements());
  const double of_gates = p.is_sparse() ? 8 * elements / width : 0, out = 2 * elements + 4 * elements / width;
  const double read = 8 * elements + of_gates, gradients_of_all = 6 * elements + of_gates;
  const bool is_whole = p.work == phase::train;
  return {.bytes = read + out + gradients_of_all,
          .written_bytes = gradients_of_all + (is_whole ? out : 0),
          .flops = forward.flops * (is_whole ? 3.5 : 2.5),
          .flop_pipe = forward.flop_pipe};
}

nlohmann::ordered_json merged(nlohmann::ordered_json into, const nlohmann::ordered_json& more) {
  into.update(more);
  return into;
}

}  // namespace

double modelled_bytes(const problem& p) {
  const gated_attention::problem& f = p.forward;
  const auto elements = static_cast<double>(f.elements()), rows = elements / width;
  // Q, K, V, O; dO, dQ, dK, dV; the log-sum-exp.
  const double dense = 16 * elements + 4 * rows;
  if (!p.is_sparse()) return dense;
  const auto blocks = static_cast<double>(f.heads * f.blocks());
  // S; means of Q, K and V, C and its log-sum-exp; gates and their gradients; the lists, and turned around.
  return dense + 2 * elements + blocks * (4 * 2 * width + 4) + 2 * 8 * rows +
         blocks * (2 * 4.0 * f.selected + 8);
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  if (p.keeps_blocks()) return prepare_block_sparse(p, inputs);
  const auto known = std::make_shared<const known_gradients>(know(p, inputs.seed()));
  const auto forward = std::make_shared<const workload>(workload_of(p.checked_forward(), known->forward));
  workload w;
  w.contents = contents_of(p, buffers, {{"gradient_samples", std::as_bytes(std::span(known->samples))}});
  std::ranges::copy(forward->contents, w.contents.begin());
  // The forward pass has the first buffers.
  const std::size_t of_forward = forward->contents.size();
  w.check = [p, known, forward, of_forward](std::span<const std::byte* const> outputs) {
    const check_result result = forward->check(outputs.first(of_forward));
    return result.ok ? check(p, *known, attached(p, buffers, outputs)) : result;
  };
  w.quality = [p, known, forward, of_forward](std::span<const std::byte* const> outputs) {
    return merged(forward->quality(outputs.first(of_forward)),
                  quality(p, *known, attached(p, buffers, outputs)));
  };
  w.reference = [p, known, forward, of_forward](std::span<void* const> addresses) {
    forward->reference(addresses.first(of_forward));
    write_reference(p, *known, attached(p, buffers, addresses));
  };
  w.work = work(p, forward->work);
  // For dense attention of other lengths: what it takes is in proportion to these.
  const std::int64_t pairs = p.forward.heads * p.forward.tokens * p.forward.tokens;
  w.input = merged(forward->input,
                   {{"modelled_bytes", std::llround(modelled_bytes(p))}, {"pairs_of_tokens", pairs}});
  w.storage = known;
  return w;
}

}  // namespace ablate::gated_attention_backward
