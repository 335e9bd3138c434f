#include "variants/compression_attention/prepare.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
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
std::vector<sampled_row> choose_samples(const problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const std::int32_t head = below(p.heads);
  std::vector<sampled_row> rows = {{0, 0, head}, {0, static_cast<std::int32_t>(p.rows - 1), head}};
  while (static_cast<std::int64_t>(rows.size()) < p.sample_count) rows.push_back({0, below(p.rows), head});
  return rows;
}

struct read_outputs {
  const findings& found;
  const float *out, *lse;
  const std::int32_t* table;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const findings*>(outputs[place::found])),
        out(reinterpret_cast<const float*>(outputs[place::sampled_out])),
        lse(reinterpret_cast<const float*>(outputs[place::sampled_lse])),
        table(reinterpret_cast<const std::int32_t*>(outputs[place::sampled_table])) {}

  std::vector<std::int32_t> list(const problem& p, std::size_t i) const {
    const std::int32_t* const first = table + i * static_cast<std::size_t>(p.selected);
    return {first, first + p.selected};
  }
  window_attention::result_errors errors(const known_attention& known, std::size_t i) const {
    return window_attention::errors_of(known.exact[i], width, out + i * width, lse + i);
  }
};

/// What a kernel's roundings may leave in the mean. With one score for all, or scores that rise or fall from
/// key to key alike for all queries, the rows of a head are alike; scores that are whole numbers make
/// probabilities e^(−i/8), whose roundings are alike and of which those next to the maximum count: with the
/// squares of their weights, as many as (1 + e^(−1/4)) / (1 − e^(−1/4)).
double systematic_error(const problem& p) {
  constexpr double integer_weights = 8;
  const bool are_rows_alike =
      p.what == scores::equal || p.what == scores::ascending || p.what == scores::descending;
  const double distinct = are_rows_alike               ? static_cast<double>(p.heads) * width
                          : p.what == scores::integers ? integer_weights
                                                       : 0;
  return accepted_bias_of_bf16 + bias_of_alike(distinct);
}

check_result check(const problem& p, const known_attention& known, const read_outputs& seen) {
  if (const auto fault = window_attention::fault_in(seen.found.of, p.compared_rows(), systematic_error(p)))
    return *fault;
  if (p.lists)
    if (const auto fault = fault_of_lists(p, seen.found)) return {false, *fault};
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    if (const auto fault = window_attention::fault_of(known.samples[i], seen.errors(known, i))) return *fault;
    if (p.lists && are_exact(p.what))
      if (const auto fault = fault_of_list(known.samples[i], known.exact[i].list, seen.list(p, i)))
        return {false, *fault};
  }
  return {true, "", seen.found.of.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality(const problem& p, const known_attention& known, const read_outputs& seen) {
  nlohmann::ordered_json figures;
  window_attention::add_errors(figures, "out", seen.found.of.out, accepted_row_error, systematic_error(p));
  window_attention::add_errors(figures, "lse", seen.found.of.lse, accepted_lse_error, systematic_error(p));
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, seen.errors(known, i).out);
  figures["out_error_sampled"] = sampled;
  figures["compared_rows"] = p.compared_rows();
  return figures;
}

// Compulsory: q, k and v read once, O, the log-sum-exp and the lists written; two products of all rows.
work_model work(const problem& p) {
  const auto elements = static_cast<double>(p.elements()), rows = static_cast<double>(p.heads * p.rows);
  const double written = 2 * elements + 4 * rows + (p.lists ? 4 * rows * p.selected : 0);
  return {.bytes = 6 * elements + written,
          .written_bytes = written,
          .flops = 4 * elements * static_cast<double>(p.rows),
          .flop_pipe = "tensor_bf16"};
}

}  // namespace

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_attention>();
  known->samples = choose_samples(p, inputs.seed());
  known->exact = reference_rows(p, known->samples);

  workload w;
  w.contents.resize(places);
  w.contents[samples] = std::as_bytes(std::span(known->samples));
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, read_outputs(outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, read_outputs(outputs));
  };
  // On the host only the sampled rows are computed; whoever looks at the whole takes a GPU.
  w.reference = [p, known](std::span<void* const> host) {
    const deviation none = window_attention::no_deviation(p.compared_rows());
    *static_cast<findings*>(host[place::found]) = {
        {none, none}, static_cast<unsigned long long>(p.compared_rows()), 0, ~0ull};
    for (std::size_t i = 0; i < known->exact.size(); ++i) {
      std::ranges::transform(known->exact[i].out, static_cast<float*>(host[place::sampled_out]) + i * width,
                             [](double x) { return static_cast<float>(x); });
      static_cast<float*>(host[place::sampled_lse])[i] = static_cast<float>(known->exact[i].lse);
      std::ranges::copy(known->exact[i].list, static_cast<std::int32_t*>(host[place::sampled_table]) +
                                                  i * static_cast<std::size_t>(p.selected));
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
