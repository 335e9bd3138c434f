#include "variants/compression_attention_backward/prepare.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/random.h"
#include "oracles/compression_attention_backward/reference.h"
#include "variants/compression_attention_backward/buffers.h"
#include "variants/row_errors.h"
#include "variants/window_attention_backward/gradient_check.h"

namespace ablate::compression_attention_backward {
namespace {

using window_attention_backward::known_gradients;
using window_attention_backward::read_gradients;

/// dK and dV of a row need the weights of all queries, so the oracle takes time by the square of the rows: it
/// computes them for 32 images. Beyond, it judges dQ alone, and all three are compared with plain gradients.
constexpr std::int64_t max_rows_of_keys = 2016;

/// Rows of one head: the first, the last, others anywhere. Returns a hash of what the head is made of.
std::string choose_rows(const checked_problem& p, std::uint64_t seed, known_gradients& known) {
  random_stream random(seed, "sampled gradients of pooled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const std::int32_t head = below(p.gradients.attention.batches);
  const window_attention_backward::window_values values = values_of_head(p, head);
  std::vector<double> hashed(values.q.begin(), values.q.begin() + width);
  hashed.insert(hashed.end(), values.v.begin(), values.v.begin() + width);
  std::string hash = hash_hex(hashed.data(), hashed.size() * sizeof(double));
  const auto last = static_cast<std::int32_t>(p.rows - 1);
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const std::int32_t any = below(p.rows), row = i == 0 ? 0 : i == 1 ? last : any;
    known.samples.push_back({head, row, 0});
    const std::vector<double> exact = exact_query_gradient(values, row);
    known.exact[0].insert(known.exact[0].end(), exact.begin(), exact.end());
  }
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const std::int32_t any = below(p.rows), row = i == 0 ? 0 : i == 1 ? last : any;
    keys.push_back(row);
    known.samples.push_back({head, row, 0});
  }
  if (p.rows > max_rows_of_keys) return hash;
  window_attention_backward::key_gradients exact = exact_key_gradients(values, keys);
  known.exact[1] = std::move(exact.k);
  known.exact[2] = std::move(exact.v);
  return hash;
}

read_gradients read_outputs_of(const checked_problem& p, std::span<const std::byte* const> outputs) {
  const checked_problem seen = attached(p, buffers, outputs);
  return {seen.found, seen.sampled_gradients};
}

std::int64_t compared(const checked_problem& p) {
  return p.gradients.attention.batches * p.gradients.attention.tokens;
}

// Compulsory: Q, K, V, O, dO and the log-sum-exp read, three gradients written; five products among all rows.
work_model work(const checked_problem& p) {
  const double elements = static_cast<double>(p.gradients.attention.batches * p.rows) * width;
  return {.bytes = 16 * elements + 4 * elements / width,
          .written_bytes = 6 * elements,
          .flops = 10 * elements * static_cast<double>(p.rows),
          .flop_pipe = "tensor_bf16",
          .exponentials = elements / width * static_cast<double>(p.rows)};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_gradients>();
  const std::string hash = choose_rows(p, inputs.seed(), *known);
  known->systematic = window_attention::systematic_error(p.gradients.attention, p.inputs);

  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check_gradients(compared(p), *known, read_outputs_of(p, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality_of_gradients(*known, read_outputs_of(p, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    solve_gradients(compared(p), *known, host.found, host.sampled_gradients);
  };
  w.work = work(p);
  w.input = {{"hash", hash},
             {"rows", p.rows},
             {"padded_rows", p.gradients.attention.tokens},
             {"score_spread", p.inputs.score_spread}};
  w.storage = known;
  return w;
}

}  // namespace ablate::compression_attention_backward
