#include "variants/gated_attention_backward/block_sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention_backward/findings.h"
#include "oracles/gated_attention_backward/reference.h"
#include "variants/gated_attention/block_sparse.h"
#include "variants/gated_attention/buffers.h"
#include "variants/gated_attention_backward/buffers.h"
#include "variants/gated_attention_backward/prepare.h"
#include "variants/row_errors.h"

namespace ablate::gated_attention_backward {
namespace {

/// Sampled tokens whose dQ the oracle computes: two at the ends of a head, two between. dK and dV of a key
/// take the weights of all queries, and are compared with plain gradients alone.
constexpr std::size_t most_known = 4;

constexpr double accepted_kept_error = window_attention_backward::accepted_row_error;

struct known_queries {
  workload forward;
  std::vector<sampled_row> samples;  ///< problem::samples
  std::vector<std::size_t> known;    ///< of these
  // By the bits that the layer chose; all variants choose the same.
  std::vector<std::uint32_t> bits;
  std::vector<graded_row> gradients;

  /// The forward pass has the first buffers.
  std::size_t buffers_of_forward() const { return forward.contents.size(); }
};

/// A head's tokens as blocks of 64, whose lists are these bits, whatever the query.
graded_row gradient_by(const checked_problem& p, const sampled_row& at, const std::uint32_t* bits) {
  head_values head = made_head(p, at.head, [bits](std::int64_t, int block) {
    return (bits[block / 32] >> block % 32 & 1) != 0 ? block : -1;
  });
  head.block = rows_of_key_block;
  head.selected = static_cast<int>(p.key_blocks());
  return exact_query_gradient(head, at.row);
}

const std::vector<graded_row>& gradients_by(const checked_problem& p, known_queries& known,
                                            const std::uint32_t* seen) {
  const std::size_t words = static_cast<std::size_t>(p.key_words()), all = known.samples.size() * words;
  if (known.bits.size() == all && std::equal(known.bits.begin(), known.bits.end(), seen))
    return known.gradients;
  known.bits.assign(seen, seen + all);
  known.gradients.clear();
  for (const std::size_t i : known.known)
    known.gradients.push_back(gradient_by(p, known.samples[i], seen + i * words));
  return known.gradients;
}

const float* row_of(const checked_problem& seen, std::size_t i) { return seen.sampled_gradients + i * width; }

std::optional<check_result> fault_of_kept(const checked_problem& p, const findings& found) {
  if (found.not_turned != 0)
    return check_result{false, fmt::format("bits turned around: {} are others", found.not_turned)};
  constexpr std::array<const char*, gradients> names = {"dQ", "dK", "dV"};
  for (std::size_t i = 0; i < gradients; ++i) {
    window_attention::deviation of = found.rows.of[i];
    const std::int64_t number = of.worst.row * p.compared_kept_stride();
    of.worst.row = static_cast<std::int32_t>(number % p.forward.tokens);
    of.worst.head = static_cast<std::int32_t>(number / p.forward.tokens);
    if (auto fault =
            window_attention::fault_in_each_row(names[i], of, p.compared_kept_rows(), accepted_kept_error))
      return fault;
  }
  return std::nullopt;
}

check_result check_kept(const checked_problem& p, known_queries& known,
                        std::span<const std::byte* const> outputs) {
  const check_result forward = known.forward.check(outputs.first(known.buffers_of_forward()));
  if (!forward.ok) return forward;
  const checked_problem seen = attached(p, buffers, outputs);
  const findings& found = *seen.found;
  if (const auto fault = fault_of_kept(p, found)) return *fault;
  const std::vector<graded_row>& exact = gradients_by(p, known, seen.forward_checks.sampled_kept);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = error_of(exact[i], row_of(seen, known.known[i]));
    if (!(error <= accepted_kept_error))
      return window_attention::sampled_fault("dQ", known.samples[known.known[i]], error, accepted_kept_error);
  }
  double greatest = 0;
  for (const window_attention::deviation& of : found.rows.of)
    greatest = std::max<double>(greatest, of.worst.error);
  return {true, "", greatest, accepted_kept_error};
}

nlohmann::ordered_json quality_of_kept(const checked_problem& p, known_queries& known,
                                       std::span<const std::byte* const> outputs) {
  nlohmann::ordered_json figures = known.forward.quality(outputs.first(known.buffers_of_forward()));
  const checked_problem seen = attached(p, buffers, outputs);
  constexpr std::array<const char*, gradients> names = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients; ++i)
    window_attention::add_errors(figures, names[i], seen.found->rows.of[i], accepted_kept_error);
  const std::vector<graded_row>& exact = gradients_by(p, known, seen.forward_checks.sampled_kept);
  double sampled = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    sampled = std::max(sampled, error_of(exact[i], row_of(seen, known.known[i])));
  figures["dq_error_sampled"] = sampled;
  return figures;
}

/// On the host only the samples are computed; whoever looks at the whole takes a GPU.
void write_kept(const checked_problem& p, known_queries& known, std::span<void* const> addresses) {
  known.forward.reference(addresses.first(known.buffers_of_forward()));
  const checked_problem host = attached(p, buffers, addresses);
  *host.found = {};
  std::ranges::fill(host.found->rows.of, window_attention::no_deviation(p.compared_kept_rows()));
  const std::vector<graded_row>& exact = gradients_by(p, known, host.forward_checks.sampled_kept);
  for (std::size_t i = 0; i < exact.size(); ++i)
    std::ranges::transform(exact[i].of, host.sampled_gradients + known.known[i] * width,
                           [](double x) { return static_cast<float>(x); });
}

// As for the dense method: Q, K, V and dO read once, or O and the log-sum-exp as well; O, the log-sum-exp and
// three gradients written. Two products of the kept pairs forward, five backward.
work_model work_of_kept(const problem& p, const work_model& forward) {
  const auto elements = static_cast<double>(p.forward.elements());
  const double out = 2 * elements + 4 * elements / width, gradients_of_all = 6 * elements;
  const bool is_whole = p.work == phase::train;
  return {.bytes = 8 * elements + out + gradients_of_all,
          .written_bytes = gradients_of_all + (is_whole ? out : 0),
          .flops = forward.flops * (is_whole ? 3.5 : 2.5),
          .flop_pipe = forward.flop_pipe};
}

}  // namespace

workload prepare_block_sparse(const checked_problem& p, const input_library& inputs) {
  const auto known = std::make_shared<known_queries>();
  known->forward = gated_attention::prepare_block_sparse(p.checked_forward(), inputs);
  std::vector<const std::byte*> inputs_of_forward;
  for (const std::span<const std::byte> of_buffer : known->forward.contents)
    inputs_of_forward.push_back(of_buffer.data());
  const sampled_row* const first =
      attached(p.checked_forward(), gated_attention::buffers, inputs_of_forward).samples;
  known->samples.assign(first, first + p.forward_checks.sample_count);
  for (std::size_t i = 0; i < most_known; ++i)
    known->known.push_back(i * (known->samples.size() - 1) / (most_known - 1));
  workload w;
  w.contents = contents_of(p, buffers, {{"gradient_samples", std::as_bytes(std::span(known->samples))}});
  std::ranges::copy(known->forward.contents, w.contents.begin());
  w.check = [p, known](std::span<const std::byte* const> outputs) { return check_kept(p, *known, outputs); };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality_of_kept(p, *known, outputs);
  };
  w.reference = [p, known](std::span<void* const> addresses) { write_kept(p, *known, addresses); };
  w.work = work_of_kept(p, known->forward.work);
  w.input = known->forward.input;
  const std::int64_t pairs = p.forward.heads * p.forward.tokens * p.forward.tokens;
  w.input.update(nlohmann::ordered_json{{"modelled_bytes", std::llround(modelled_bytes(p))},
                                        {"pairs_of_tokens", pairs}});
  w.storage = known;
  return w;
}

}  // namespace ablate::gated_attention_backward
