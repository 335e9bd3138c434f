#include "variants/block_sparse_attention_backward/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oracles/global_attention_backward/reference.h"
#include "variants/block_sparse_attention/buffers.h"
#include "variants/block_sparse_attention/prepare.h"
#include "variants/block_sparse_attention_backward/buffers.h"
#include "variants/global_attention_backward/prepare.h"
#include "variants/row_errors.h"

namespace ablate::block_sparse_attention_backward {
namespace {

using global_attention_backward::graded_row;

/// Sampled tokens whose dQ the oracle computes: two at the ends of a head, two between. dK and dV of a key
/// take the weights of all queries, and are compared with plain gradients alone.
constexpr std::size_t max_known = 4;

constexpr double accepted_kept_error = window_attention_backward::accepted_row_error;

struct known_queries {
  std::vector<sampled_row> samples;  ///< checks::samples
  std::vector<std::size_t> known;    ///< of these
  // By the bits that the layer chose; all variants choose the same.
  std::vector<std::uint32_t> bits;
  std::vector<graded_row> gradients;
};

/// A head's tokens as blocks of 64, whose lists are these bits, whatever the query.
graded_row gradient_by(const checked_problem& p, const sampled_row& at, const std::uint32_t* bits) {
  global_attention_backward::head_values head = global_attention_backward::generated_head(
      p.checked_forward().as_layer(), at.head,
      [bits](std::int64_t, int block) { return (bits[block / 32] >> block % 32 & 1) != 0 ? block : -1; });
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
    const std::int64_t number = of.worst.row * p.compared_stride();
    of.worst.row = static_cast<std::int32_t>(number % p.forward.tokens);
    of.worst.head = static_cast<std::int32_t>(number / p.forward.tokens);
    if (auto fault =
            window_attention::fault_in_each_row(names[i], of, p.compared_rows(), accepted_kept_error))
      return fault;
  }
  return std::nullopt;
}

check_result check(const checked_problem& p, known_queries& known, const checked_problem& seen) {
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

nlohmann::ordered_json quality(const checked_problem& p, known_queries& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
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

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, known_queries& known, const checked_problem& host) {
  *host.found = {};
  std::ranges::fill(host.found->rows.of, window_attention::no_deviation(p.compared_rows()));
  const std::vector<graded_row>& exact = gradients_by(p, known, host.forward_checks.sampled_kept);
  for (std::size_t i = 0; i < exact.size(); ++i)
    std::ranges::transform(exact[i].of, host.sampled_gradients + known.known[i] * width,
                           [](double x) { return static_cast<float>(x); });
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  const auto forward =
      std::make_shared<const workload>(block_sparse_attention::prepare(p.checked_forward(), at, inputs));
  std::vector<const std::byte*> inputs_of_forward;
  for (const std::span<const std::byte> of_buffer : forward->contents)
    inputs_of_forward.push_back(of_buffer.data());
  const sampled_row* const first =
      attached(p.checked_forward(), block_sparse_attention::buffers, inputs_of_forward).samples;
  const auto known = std::make_shared<known_queries>();
  known->samples.assign(first, first + p.forward_checks.sample_count);
  for (std::size_t i = 0; i < max_known; ++i)
    known->known.push_back(i * (known->samples.size() - 1) / (max_known - 1));
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
  w.work = global_attention_backward::work_of(p.forward, p.work, forward->work);
  w.input =
      global_attention_backward::input_facts(p.forward, global_attention_backward::modelled_bytes(p.forward));
  w.storage = known;
  return global_attention_backward::behind(forward, std::move(w));
}

}  // namespace ablate::block_sparse_attention_backward
