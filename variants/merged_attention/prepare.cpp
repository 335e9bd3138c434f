#include "variants/merged_attention/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "kernels/token_merging/partition_lists.h"
#include "oracles/merged_attention/reference.h"
#include "oracles/token_merging/generated_inputs.h"
#include "oracles/token_merging/reference.h"
#include "variants/global_attention/rows.h"
#include "variants/merged_attention/buffers.h"
#include "variants/merging_faults.h"

namespace ablate::merged_attention {
namespace {

using token_merging::step;

/// What the oracle knows: some matches, and merged rows of one head.
struct known_merging {
  token_merging::partition_lists lists;
  std::vector<std::int32_t> sources;
  std::vector<token_merging::exact_match> matches;  ///< of these
  std::vector<sampled_row> samples;                 ///< merged rows
  std::vector<std::int64_t> rows;
  // What fp64 makes of the matches that were found takes a walk over all tokens, and they are mostly the
  // same.
  std::vector<std::int32_t> best;
  std::vector<exact_token> out;
};

/// The merged rows' attention, given each source's destination.
const std::vector<exact_token>& expected_by(const checked_problem& p, known_merging& known,
                                            std::span<const std::int32_t> best) {
  if (!std::ranges::equal(known.best, best)) {
    known.best.assign(best.begin(), best.end());
    known.out = reference_among_merged(p, known.lists, known.samples.front().head, best, known.rows);
  }
  return known.out;
}

known_merging know_merging(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  known_merging known;
  known.lists = lists_of(p.merging.layout);
  known.sources = {0, static_cast<std::int32_t>(p.merging.sources - 1)};
  while (static_cast<std::int64_t>(known.sources.size()) < sampled_sources)
    known.sources.push_back(below(p.merging.sources));
  known.matches = reference_matches(checked_merging_of(p, step::match), known.lists, known.sources);
  const std::int32_t head = below(p.heads);
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const bool is_last = i + 1 == p.sample_count;
    // The last destination as well, ahead of the protected tokens.
    const std::int64_t row = i == 0    ? 0
                             : i == 1  ? p.merging.destinations - 1
                             : is_last ? p.merging.attending() - 1
                                       : below(p.merging.attending());
    known.rows.push_back(row);
    known.samples.push_back({0, static_cast<std::int32_t>(row), head});
  }
  return known;
}

std::span<const std::int32_t> best_in(const checked_problem& seen) {
  return {seen.merging.best, static_cast<std::size_t>(seen.merging.sources)};
}

std::optional<std::string> fault_of_matches(const checked_problem& p, const known_merging& known,
                                            const checked_problem& seen) {
  const std::span<const std::int32_t> best = best_in(seen);
  const auto stray =
      std::ranges::find_if(best, [&](std::int32_t to) { return to < 0 || to >= p.merging.destinations; });
  if (stray != best.end())
    return fmt::format("source {}: its destination is {} of {}", stray - best.begin(), *stray,
                       p.merging.destinations);
  const std::int32_t* const sampled = seen.sampled_best;
  for (std::size_t i = 0; i < known.sources.size(); ++i)
    if (!is_right(known.matches[i], sampled[i], seen.sampled_similarity[i],
                  checked_merging_of(p, step::match).is_exact()) ||
        sampled[i] != best[static_cast<std::size_t>(known.sources[i])])
      return fmt::format("source {} is wrong by the oracle", known.sources[i]);
  return std::nullopt;
}

check_result check(const checked_problem& p, known_merging& known, const checked_problem& seen) {
  // Each step, from what the one before it left.
  const auto fault_of_step = [&](step of) {
    return fault_of_judged(checked_merging_of(p, of), seen.found->merging[static_cast<int>(of)]);
  };
  if (const auto fault = fault_of_step(step::match)) return {false, *fault};
  if (const auto fault = fault_of_matches(p, known, seen)) return {false, *fault};
  if (const auto fault = fault_of_step(step::merge)) return {false, *fault};
  if (p.stops_ahead) return {.ok = true};
  if (const auto fault = global_attention::fault_in_rows("O of merged rows", seen.found->attention.of,
                                                         checked_among_merged_of(p)))
    return *fault;
  if (const auto fault = fault_of_step(step::unmerge)) return {false, *fault};
  const std::vector<exact_token>& expected = expected_by(p, known, best_in(seen));
  if (const auto fault = global_attention::fault_of_tokens(known.samples, expected, seen)) return *fault;
  return {true, "", seen.found->attention.of.out.worst.error, global_attention::accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& p, known_merging& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
  if (!p.stops_ahead) {
    const std::vector<exact_token>& expected = expected_by(p, known, best_in(seen));
    figures = global_attention::error_figures(seen.found->attention.of,
                                              global_attention::sampled_error(expected, seen));
  }
  const nlohmann::ordered_json lengths = token_merging::lengths(p.merging);
  figures["attending_share"] = lengths.at("attending_share");
  figures["destination_share"] = lengths.at("destination_share");
  figures["sparsity_flops"] = lengths.at("sparsity");
  return figures;
}

/// On the host only the samples are computed: of the matches a few, all others by number.
void write_reference(const checked_problem& p, known_merging& known, const checked_problem& host) {
  findings& found = *host.found;
  found.attention = global_attention::no_fault_in(checked_among_merged_of(p));
  for (const step of : {step::match, step::merge, step::unmerge})
    found.merging[static_cast<int>(of)] = {
        static_cast<unsigned long long>(checked_merging_of(p, of).judged()), 0, ~0ull};
  std::int32_t* const best = host.merging.best;
  for (std::int64_t source = 0; source < p.merging.sources; ++source)
    best[source] = generated_best(p.merging, source);
  for (std::size_t i = 0; i < known.sources.size(); ++i) {
    const token_merging::exact_match& match = known.matches[i];
    best[known.sources[i]] = host.sampled_best[i] = match.best;
    host.sampled_similarity[i] =
        static_cast<float>(match.products[static_cast<std::size_t>(match.best)].value);
  }
  global_attention::store(expected_by(p, known, best_in(host)), host);
}

// Compulsory: q, k and v read once, O written, of all tokens, and x read where matches are made; the
// log-sum-exp of merged rows. Products: of sources with destinations, over all channels; of merged rows with
// each other, twice.
work_model work(const problem& p) {
  const auto all = static_cast<double>(p.elements()),
             attending = static_cast<double>(p.merging.attending() * p.heads);
  const double written = 2 * all + 4 * attending, of_matches = p.lists_are_given ? 0 : 2 * all;
  // In units of rows of a head.
  const double matches =
      p.lists_are_given
          ? 0
          : static_cast<double>(p.merging.sources) *
                static_cast<double>(p.merging.destinations * p.merging.match_channels() / width);
  if (p.stops_ahead) {
    const double merged = 6 * width * attending;
    return {.bytes = 6 * all + of_matches + merged,
            .written_bytes = merged,
            .flops = 2 * width * matches,
            .flop_pipe = "tensor_bf16"};
  }
  return {.bytes = 6 * all + of_matches + written,
          .written_bytes = written,
          .flops = width * (2 * matches + 4 * attending * static_cast<double>(p.merging.attending())),
          .flop_pipe = "tensor_bf16",
          .exponentials = attending * static_cast<double>(p.merging.attending())};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const auto known = std::make_shared<known_merging>(know_merging(p, inputs.seed()));
  workload w;
  w.contents = contents_of(p, buffers,
                           {{"source_tokens", std::as_bytes(std::span(known->lists.sources))},
                            {"destination_tokens", std::as_bytes(std::span(known->lists.destinations))},
                            {"appended_tokens", std::as_bytes(std::span(known->lists.appended))},
                            {"places", std::as_bytes(std::span(known->lists.places))},
                            {"source_samples", std::as_bytes(std::span(known->sources))},
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
  w.work = work(p);
  const std::vector<std::int32_t>& to = known->lists.places;
  w.input = {{"hash", hash_hex(to.data(), to.size() * sizeof(std::int32_t))},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.tokens},
             {"merged_rows", p.heads * p.merging.attending()},
             {"sources", p.merging.sources},
             {"destinations", p.merging.destinations}};
  w.storage = known;
  return w;
}

}  // namespace ablate::merged_attention
