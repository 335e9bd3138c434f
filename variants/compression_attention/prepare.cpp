#include "variants/compression_attention/prepare.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "oracles/compression_attention/reference.h"
#include "variants/compression_attention/buffers.h"
#include "variants/list_faults.h"
#include "variants/row_errors.h"

namespace ablate::compression_attention {
namespace {

using window_attention::accepted_lse_error;
using window_attention::accepted_row_error;

struct known_attention {
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

/// Rows of one head, its first and its last among them.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const std::int32_t head = below(p.heads);
  std::vector<sampled_row> rows = {{0, 0, head}, {0, static_cast<std::int32_t>(p.rows - 1), head}};
  while (static_cast<std::int64_t>(rows.size()) < p.sample_count) rows.push_back({0, below(p.rows), head});
  return rows;
}

/// The list of sampled row `i`.
std::vector<std::int32_t> sampled_list(const checked_problem& seen, std::size_t i) {
  const std::int32_t* const first = seen.sampled_table + i * static_cast<std::size_t>(seen.selected);
  return {first, first + seen.selected};
}

window_attention::result_errors sampled_errors(const known_attention& known, const checked_problem& seen,
                                               std::size_t i) {
  return window_attention::errors_of(known.exact[i], width, seen.sampled_out + i * width,
                                     seen.sampled_lse + i);
}

/// What a kernel's roundings may leave in the mean. With one score for all, or scores that rise or fall from
/// key to key alike for all queries, the rows of a head are alike; scores that are whole numbers make
/// probabilities e^(−i/8) with like roundings. Those next to the maximum count: with the squares of their
/// weights, as many as (1 + e^(−1/4)) / (1 − e^(−1/4)).
double systematic_error(const checked_problem& p) {
  constexpr double integer_weights = 8;
  const bool are_rows_alike =
      p.what == scores::equal || p.what == scores::ascending || p.what == scores::descending;
  const double distinct = are_rows_alike               ? static_cast<double>(p.heads) * width
                          : p.what == scores::integers ? integer_weights
                                                       : 0;
  return accepted_bias_of_bf16 + bias_of_alike(distinct);
}

check_result check(const checked_problem& p, const known_attention& known, const checked_problem& seen) {
  if (const auto fault = window_attention::fault_in(seen.found->of, p.compared_rows(), systematic_error(p)))
    return *fault;
  if (p.lists)
    if (const auto fault = fault_of_lists(p, *seen.found)) return {false, *fault};
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    if (const auto fault = window_attention::fault_of(known.samples[i], sampled_errors(known, seen, i)))
      return *fault;
    if (p.lists && are_exact(p.what))
      if (const auto fault = fault_of_list(known.samples[i], known.exact[i].list, sampled_list(seen, i)))
        return {false, *fault};
  }
  return {true, "", seen.found->of.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& p, const known_attention& known,
                               const checked_problem& seen) {
  nlohmann::ordered_json figures;
  window_attention::add_errors(figures, "out", seen.found->of.out, accepted_row_error, systematic_error(p));
  window_attention::add_errors(figures, "lse", seen.found->of.lse, accepted_lse_error, systematic_error(p));
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, sampled_errors(known, seen, i).out);
  figures["out_error_sampled"] = sampled;
  figures["compared_rows"] = p.compared_rows();
  return figures;
}

// Compulsory: q, k and v read once, O, the log-sum-exp and the lists written; two products of all rows.
work_model work(const checked_problem& p) {
  const auto elements = static_cast<double>(p.elements()), rows = static_cast<double>(p.heads * p.rows);
  const double written = 2 * elements + 4 * rows + (p.lists ? 4 * rows * p.selected : 0);
  return {.bytes = 6 * elements + written,
          .written_bytes = written,
          .flops = 4 * elements * static_cast<double>(p.rows),
          .flop_pipe = "tensor_bf16",
          .exponentials = rows * static_cast<double>(p.rows)};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->samples = choose_samples(p, inputs.seed());
  known->exact = reference_rows(p, known->samples);

  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, attached(p, buffers, outputs));
  };
  // On the host only the sampled rows are computed; a full comparison needs a GPU.
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    const deviation none = window_attention::no_deviation(p.compared_rows());
    *host.found = {{none, none}, static_cast<unsigned long long>(p.compared_rows()), 0, ~0ull};
    for (std::size_t i = 0; i < known->exact.size(); ++i) {
      std::ranges::transform(known->exact[i].out, host.sampled_out + i * width,
                             [](double x) { return static_cast<float>(x); });
      host.sampled_lse[i] = static_cast<float>(known->exact[i].lse);
      std::ranges::copy(known->exact[i].list, host.sampled_table + i * static_cast<std::size_t>(p.selected));
    }
  };
  w.work = work(p);
  std::vector<std::int32_t> lists;
  for (const exact_row& row : known->exact) lists.insert(lists.end(), row.list.begin(), row.list.end());
  w.input = {{"hash", hash_hex(lists.data(), lists.size() * sizeof(std::int32_t))},
             {"rows", p.rows},
             {"scores", p.heads * p.rows * p.rows}};
  w.storage = known;
  return w;
}

}  // namespace ablate::compression_attention
