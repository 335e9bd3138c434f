#include "variants/selection_attention_backward/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "harness/inputs/random.h"
#include "oracles/selection_attention_backward/reference.h"
#include "variants/row_errors.h"
#include "variants/selection_attention_backward/buffers.h"
#include "variants/selection_attention_backward/found_faults.h"

namespace ablate::selection_attention_backward {
namespace {

constexpr std::array<const char*, 3> gradients = {"dQ", "dK", "dV"};

struct known_gradients {
  std::vector<sampled_row> samples;
  std::array<std::vector<graded_row>, 3> exact;  ///< [sample_count]: of dQ, dK, dV
  std::vector<double> gates;        ///< [sample_count][2 + 64]: of the gates and of dC; gated alone
  std::vector<std::int32_t> lists;  ///< of the sampled queries, one after the other
  std::int64_t longest_row = 0;     ///< of the lists of one head, turned around
};

/// Rows anywhere for dQ, the first and the last of a head among them.
void sample_queries(const checked_problem& p, random_stream& random, known_gradients& known) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const std::int32_t any = below(p.attention.tokens);
    const auto last = static_cast<std::int32_t>(p.attention.tokens - 1);
    const sampled_row at = {0, i == 0 ? 0 : i == 1 ? last : any, below(p.attention.heads)};
    known.samples.push_back(at);
    const head_values head = generated_head(p, at.head);
    known.exact[0].push_back(exact_query_gradient(head, at.row));
    for (int slot = 0; slot < head.selected; ++slot)
      known.lists.push_back(head.entry(at.row / head.block, slot));
    if (!p.attention.is_gated) continue;
    const std::array<double, 2> gates = exact_gate_gradients(head, at.row);
    const row compressed = exact_compressed_gradient(head, at.row / head.block);
    known.gates.insert(known.gates.end(), gates.begin(), gates.end());
    known.gates.insert(known.gates.end(), compressed.begin(), compressed.end());
  }
}

/// How many lists name each block of a head.
std::vector<std::int64_t> count_names(const head_values& head) {
  std::vector<std::int64_t> names(static_cast<std::size_t>(head.blocks()));
  for (std::int64_t block = 0; block < head.blocks(); ++block)
    for (int slot = 0; slot < head.selected; ++slot)
      if (const std::int32_t entry = head.entry(block, slot);
          list_transpose::is_taken(entry, 0, head.blocks()))
        ++names[static_cast<std::size_t>(entry)];
  return names;
}

/// Rows of two blocks of one head for dK and dV: blocks that some lists name, but not so many that the oracle
/// takes long. What popular blocks get, the plain gradients say alone.
void sample_keys(const checked_problem& p, random_stream& random, known_gradients& known) {
  const std::int64_t number = random.below(static_cast<std::uint32_t>(p.attention.heads));
  const head_values head = generated_head(p, number);
  const std::vector<std::int64_t> names = count_names(head);
  known.longest_row = *std::ranges::max_element(names);
  const auto is_fit = [&](std::int64_t block) {
    const std::int64_t of_block = names[static_cast<std::size_t>(block)];
    return of_block > 0 && of_block <= 4 * head.selected;
  };
  constexpr std::int64_t sampled_blocks = 2;
  const std::int64_t from_block = p.sample_count / sampled_blocks;
  for (std::int64_t i = 0; i < sampled_blocks; ++i) {
    std::int64_t block = random.below(static_cast<std::uint32_t>(head.blocks()));
    for (std::int64_t tried = 0; tried < head.blocks() && !is_fit(block); ++tried)
      block = (block + 1) % head.blocks();
    const std::vector<std::int64_t> query_blocks =
        is_fit(block) ? query_blocks_of(head, block) : std::vector<std::int64_t>();
    const key_gradients exact = exact_key_gradients(head, block, query_blocks);
    for (std::int64_t j = 0; j < from_block; ++j) {
      const std::int64_t in_block = j * head.block / from_block;
      known.samples.push_back(
          {0, static_cast<std::int32_t>(block * head.block + in_block), static_cast<std::int32_t>(number)});
      known.exact[1].push_back(exact.k[static_cast<std::size_t>(in_block)]);
      known.exact[2].push_back(exact.v[static_cast<std::size_t>(in_block)]);
    }
  }
}

/// Of many numbers together, by the Euclidean norm; NaN where one is not finite.
class relative_error {
 public:
  void add(double seen, double exact) {
    squared_ += (seen - exact) * (seen - exact);
    of_ += exact * exact;
  }
  double value() const { return squared_ == 0 ? 0 : std::sqrt(squared_ / of_); }

 private:
  double squared_ = 0, of_ = 0;
};

/// Of a gradient's sampled row; where it has no terms, none is allowed.
double sampled_error(const known_gradients& known, const checked_problem& seen, std::size_t gradient,
                     std::size_t i) {
  const std::vector<graded_row>& exact = known.exact[gradient];
  return error_of(exact[i], seen.sampled_gradients + (gradient * exact.size() + i) * width);
}
/// The greatest of a gradient's sampled rows, and which row it is of.
std::pair<double, std::size_t> worst_sample(const known_gradients& known, const checked_problem& seen,
                                            std::size_t gradient) {
  std::pair<double, std::size_t> worst{0, 0};
  for (std::size_t i = 0; i < known.exact[gradient].size(); ++i)
    if (const double error = sampled_error(known, seen, gradient, i); !(error <= worst.first))
      worst = {error, i};
  return worst;
}
/// Error over all sampled gradients of gates, or rows of dC; where they are zero, none is allowed.
double sampled_gate_error(const known_gradients& known, const checked_problem& seen, bool of_compressed) {
  relative_error error;
  for (std::size_t i = 0; i < known.gates.size(); ++i)
    if ((i % (2 + width) >= 2) == of_compressed) error.add(seen.sampled_gates[i], known.gates[i]);
  return error.value();
}

check_result fault_of_sampled_gates(const checked_problem& p, const char* gradient, double error) {
  return {false,
          fmt::format("{}, {} sampled rows: relative error {:.2e} against fp64, expected at most {:.0e}",
                      gradient, p.sample_count, error, accepted_row_error),
          error, accepted_row_error};
}

/// What is wrong with the gates' gradients and dC, if anything.
std::optional<check_result> fault_of_gates(const checked_problem& p, const known_gradients& known,
                                           const checked_problem& seen) {
  if (auto fault = fault_of_found_gates(p, *seen.found)) return fault;
  for (const bool of_compressed : {false, true})
    if (const double error = sampled_gate_error(known, seen, of_compressed); !(error <= accepted_row_error))
      return fault_of_sampled_gates(p, of_compressed ? "dC" : "gates", error);
  return std::nullopt;
}

check_result check(const checked_problem& p, const known_gradients& known, const checked_problem& seen) {
  double greatest = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (const auto fault = fault_of_gradient(p, *seen.found, i)) return *fault;
    if (const auto fault = bias_result(gradients[i], {seen.found->of[i].signs, accepted_bias_of_bf16}))
      return *fault;
    const auto [error, sample] = worst_sample(known, seen, i);
    if (!(error <= accepted_row_error)) {
      const std::size_t first = i == 0 ? 0 : known.exact[0].size();
      return window_attention::sampled_fault(gradients[i], known.samples[first + sample], error,
                                             accepted_row_error);
    }
    greatest = std::max<double>(greatest, seen.found->of[i].worst.error);
  }
  if (p.attention.is_gated)
    if (const auto fault = fault_of_gates(p, known, seen)) return *fault;
  return {true, "", greatest, accepted_row_error};
}

nlohmann::ordered_json quality(const known_gradients& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
  const char* const names[] = {"dq", "dk", "dv"};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    window_attention::add_errors(figures, names[i], seen.found->of[i], accepted_row_error);
    figures[fmt::format("{}_error_sampled", names[i])] = worst_sample(known, seen, i).first;
  }
  return figures;
}

/// Entries of all lists that are blocks.
std::int64_t count_entries(const checked_problem& p) {
  const selection_attention::problem& a = p.attention;
  if (!p.lists.is_short) return a.heads * a.blocks() * std::min<std::int64_t>(a.selected, a.blocks());
  std::int64_t count = 0;
  for (std::int64_t head = 0; head < a.heads; ++head)
    for (std::int64_t block = 0; block < a.blocks(); ++block)
      for (int slot = 0; slot < a.selected; ++slot) count += p.lists.block(head, block, slot) >= 0;
  return count;
}

/// Two rows of a pair of tokens, both ways, once for each tile of a block.
std::int64_t gathered_bytes(const checked_problem& p, std::int64_t entries) {
  const std::int64_t pair_bytes = 4 * width * p.attention.block;
  return 2 * pair_bytes * entries * (p.attention.block / selection_attention::tile);
}

// Compulsory: Q, K, V, O, dO, the log-sum-exp and the table read, three gradients written; five products of a
// block's size an entry. A model beside it: what tiles gather that share no list.
work_model work(const checked_problem& p, std::int64_t entries) {
  const selection_attention::problem& a = p.attention;
  const auto elements = static_cast<double>(a.elements());
  // Two gates a row of fp32 and a compressed row a block, read, and as many gradients written.
  const double gated = a.is_gated ? 8 * elements / width + 2 * elements / a.block : 0;
  return {.bytes = 16 * elements + 4 * elements / width + 2 * gated +
                   4.0 * static_cast<double>(a.heads * a.blocks() * a.selected),
          .written_bytes = 6 * elements + gated,
          .flops = 10.0 * width * a.block * a.block * static_cast<double>(entries),
          .flop_pipe = "tensor_bf16",
          .exponentials = static_cast<double>(a.block) * a.block * static_cast<double>(entries),
          .gathered_bytes = static_cast<double>(gathered_bytes(p, entries))};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_gradients>();
  random_stream random(inputs.seed(), "sampled gradients");
  sample_queries(p, random, *known);
  sample_keys(p, random, *known);
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
    float* sampled = host.sampled_gradients;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      host.found->of[i] = window_attention::no_deviation(p.compared_rows());
      for (const graded_row& exact : known->exact[i])
        sampled =
            std::ranges::transform(exact.of, sampled, [](double x) { return static_cast<float>(x); }).out;
    }
    if (!p.attention.is_gated) return;
    deviations& found = *host.found;
    found.gates = window_attention::no_deviation(2 * p.rows());
    found.compressed = window_attention::no_deviation(p.attention.heads * p.attention.blocks());
    std::ranges::transform(known->gates, host.sampled_gates, [](double x) { return static_cast<float>(x); });
  };
  w.work = work(p, entries);
  w.input = {{"hash", hash_hex(known->lists.data(), known->lists.size() * sizeof(std::int32_t))},
             {"tokens", p.attention.tokens},
             {"blocks", p.attention.blocks()},
             {"entries", entries},
             {"longest_row_of_a_head", known->longest_row},
             {"gathered_bytes", gathered_bytes(p, entries)},
             {"compared_rows", p.compared_rows()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::selection_attention_backward
