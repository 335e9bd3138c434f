// token_merging: similar tokens found, merged before attention and unmerged after it. Axes, inputs, check
// against fp64 and work model; one entry per variant.
#include "kernels/token_merging/token_merging.h"
#include "kernels/token_merging/partition_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/registry/define.h"
#include "kernels/token_merging/launches.h"
#include "oracles/token_merging/generated_inputs.h"
#include "oracles/token_merging/launches.h"
#include "oracles/token_merging/reference.h"
#include "variants/image_blocks.h"
#include "variants/merging_axes.h"
#include "variants/merging_faults.h"
#include "variants/phases.h"

namespace ablate::token_merging {
namespace {

constexpr std::int64_t samples_of_a_case = 4;

constexpr word_table<step, 3> step_words = {
    {{"match", step::match}, {"merge", step::merge}, {"unmerge", step::unmerge}}};
constexpr word_table<scores, 4> score_words = {{{"scene", scores::scene},
                                                {"unit", scores::unit},
                                                {"integers", scores::integers},
                                                {"equal", scores::equal}}};

std::optional<std::string> refuses(const axis_values& at) {
  if (at.integer("images") < 2) return "images=1: all tokens of the first image are destinations";
  if (at.word("step") != "match" && at.word("scores") != "scene")
    return fmt::format("scores={}: only matches are made by scores", at.word("scores"));
  if (at.word("step") == "match" && at.word("protected") != "twice")
    return fmt::format("protected={}: matches are made for protected tokens, too", at.word("protected"));
  if (at.word("step") != "match" && metric_at(at) != metric::channels)
    return fmt::format("metric={}: only matches are made by it", at.word("metric"));
  return std::nullopt;
}

token_partition partition_at(const axis_values& at, const input_library& inputs) {
  return {geometry_at(at), at.integer("images"), inputs.seed(), at.word("protected") == "twice"};
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  checked_problem p;
  p.layout = partition_at(at, inputs);
  p.heads = at.integer("heads");
  p.step = meaning_of(step_words, at.word("step"));
  p.what = meaning_of(score_words, at.word("scores"));
  p.metric = metric_at(at);
  const partition_lists lists = lists_of(p.layout);
  p.sources = static_cast<std::int64_t>(lists.sources.size());
  p.destinations = static_cast<std::int64_t>(lists.destinations.size());
  p.appended = static_cast<std::int64_t>(lists.appended.size());
  p.sample_count = samples_of_a_case;
  return p;
}

bound_buffers buffers(checked_problem& p) {
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto bytes_where = [&](bool is_there, std::int64_t elements, std::size_t each) {
    return is_there ? each * static_cast<std::size_t>(elements) : 0;
  };
  const bool matches = p.step == step::match, merges = p.step == step::merge,
             unmerges = p.step == step::unmerge, by_mean = p.metric == metric::mean_of_heads;
  const std::int64_t tokens = p.tokens() * p.channels(), rows = p.attending() * p.channels(),
                     sampled = p.sample_count;
  return {
      bind("source_tokens", p.source_tokens, bytes_where(true, p.sources, 4), input),
      bind("destination_tokens", p.destination_tokens, bytes_where(true, p.destinations, 4), input),
      bind("appended_tokens", p.appended_tokens, bytes_where(true, p.appended, 4), input),
      bind("places", p.places, bytes_where(true, p.tokens(), 4), input),
      bind("x", p.x, bytes_where(matches, tokens, 2), device),
      bind("metric_rows", p.metric_rows, bytes_where(by_mean, p.tokens() * width, 2), device, poison),
      // What is given to later steps is made on the device once, and stays.
      bind("best", p.best, bytes_where(true, p.sources, 4), device, matches ? poison : buffer_reset::none),
      bind("similarity", p.similarity, bytes_where(matches, p.sources, 4), result, poison),
      bind("q", p.in[0], bytes_where(merges, tokens, 2), device),
      bind("k", p.in[1], bytes_where(merges, tokens, 2), device),
      bind("v", p.in[2], bytes_where(merges, tokens, 2), device),
      bind("merged_q", p.merged[0], bytes_where(merges, rows, 2), result, poison),
      bind("merged_k", p.merged[1], bytes_where(merges, rows, 2), result, poison),
      bind("merged_v", p.merged[2], bytes_where(merges, rows, 2), result, poison),
      bind("attended", p.attended, bytes_where(unmerges, rows, 2), device),
      bind("out", p.out, bytes_where(unmerges, tokens, 2), result, poison),
      bind("scratch", p.scratch, scratch_bytes(p), device, poison),
      bind("samples", p.samples, bytes_where(true, sampled, 4), input),
      bind("found", p.found, sizeof(findings), finding, poison),
      bind("sampled_best", p.sampled_best, bytes_where(matches, sampled, 4), finding, poison),
      bind("sampled_similarity", p.sampled_similarity, bytes_where(matches, sampled, 4), finding, poison),
      bind("sampled_rows", p.sampled_rows, bytes_where(!matches, sampled * tensors * p.channels(), 2),
           finding, poison)};
}

struct known_merging {
  partition_lists lists;
  std::vector<std::int32_t> samples;
  std::vector<exact_match> matches;                    ///< of samples; match
  std::vector<std::array<exact_mean, tensors>> means;  ///< merge
  std::vector<std::vector<std::uint16_t>> copies;      ///< [heads][64]; unmerge

  known_merging(const checked_problem& p, std::uint64_t seed) : lists(lists_of(p.layout)) {
    random_stream random(seed, "sampled tokens");
    const std::int64_t all = p.judgeable();
    samples = {0, static_cast<std::int32_t>(all - 1)};
    while (static_cast<std::int64_t>(samples.size()) < p.sample_count)
      samples.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(all))));
    if (p.step == step::match) {
      matches = reference_matches(p, lists, samples);
      return;
    }
    for (const std::int32_t sample : samples)
      if (p.step == step::merge)
        means.push_back({reference_merged(p, lists, 0, sample), reference_merged(p, lists, 1, sample),
                         reference_merged(p, lists, 2, sample)});
      else
        copies.push_back(copy_of(p, reference_row_of(p, lists, sample)));
  }

 private:
  static std::vector<std::uint16_t> copy_of(const problem& p, std::int64_t row) {
    std::vector<std::uint16_t> elements;
    for (std::int64_t channel = 0; channel < p.channels(); ++channel)
      elements.push_back(
          generated_row_element(p, tensors, channel / width, row, static_cast<int>(channel % width)));
    return elements;
  }
};

bool is_right_sample(const checked_problem& p, const known_merging& known, const checked_problem& seen,
                     std::size_t i) {
  const auto channels = static_cast<std::size_t>(p.channels());
  if (p.step == step::match) {
    return is_right(known.matches[i], seen.sampled_best[i], seen.sampled_similarity[i], p.is_exact());
  }
  const std::uint16_t* const rows = seen.sampled_rows + i * tensors * channels;
  if (p.step == step::unmerge) return std::ranges::equal(known.copies[i], std::span(rows, channels));
  for (std::size_t which = 0; which < tensors; ++which)
    for (std::size_t c = 0; c < channels; ++c)
      if (!is_right_mean(static_cast<double>(float_of_bf16(rows[which * channels + c])),
                         known.means[i][which].mean[c], known.means[i][which].mean_of_absolutes[c]))
        return false;
  return true;
}

check_result check(const checked_problem& p, const known_merging& known, const checked_problem& seen) {
  if (const auto fault = fault_of_judged(p, *seen.found)) return {false, *fault};
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (!is_right_sample(p, known, seen, i))
      return {false, fmt::format("{} {} is wrong by the oracle", name_of_judged(p.step), known.samples[i])};
  return {.ok = true};
}

// Compulsory: of match, x read once and matches written, one product of all pairs; of merge, q, k and v read
// and merged rows written; of unmerge, rows that attended read and all tokens written.
work_model work(const problem& p) {
  const auto channels = static_cast<double>(p.channels());
  const double tokens = 2 * channels * static_cast<double>(p.tokens()),
               rows = 2 * channels * static_cast<double>(p.attending()),
               lists = 4 * static_cast<double>(p.tokens() + p.appended);
  const auto sources = static_cast<double>(p.sources);
  if (p.step == step::match)
    return {.bytes = tokens + lists + 8 * sources,
            .written_bytes = 8 * sources,
            .flops = 2 * sources * static_cast<double>(p.destinations * p.match_channels()),
            .flop_pipe = "tensor_bf16"};
  if (p.step == step::merge)
    return {.bytes = tensors * (tokens + rows) + lists + 4 * sources, .written_bytes = tensors * rows};
  return {.bytes = tokens + rows + lists + 4 * sources, .written_bytes = tokens};
}

void solve_on_host(const checked_problem& p, const known_merging& known, const checked_problem& host) {
  *host.found = {static_cast<unsigned long long>(p.judged()), 0, ~0ull};
  const auto channels = static_cast<std::size_t>(p.channels());
  for (std::size_t i = 0; i < known.samples.size(); ++i) {
    if (p.step == step::match) {
      const exact_match& exact = known.matches[i];
      host.sampled_best[i] = exact.best;
      host.sampled_similarity[i] =
          static_cast<float>(exact.products[static_cast<std::size_t>(exact.best)].value);
      continue;
    }
    std::uint16_t* const rows = host.sampled_rows + i * tensors * channels;
    if (p.step == step::unmerge) std::ranges::copy(known.copies[i], rows);
    for (std::size_t which = 0; p.step == step::merge && which < tensors; ++which)
      std::ranges::transform(known.means[i][which].mean, rows + which * channels,
                             [](double mean) { return bf16_of(static_cast<float>(mean)); });
  }
}

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_merging>(p, inputs.seed());
  workload w;
  w.contents = contents_of(p, buffers,
                           {{"source_tokens", std::as_bytes(std::span(known->lists.sources))},
                            {"destination_tokens", std::as_bytes(std::span(known->lists.destinations))},
                            {"appended_tokens", std::as_bytes(std::span(known->lists.appended))},
                            {"places", std::as_bytes(std::span(known->lists.places))},
                            {"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, attached(p, buffers, outputs));
  };
  // On the host only the samples are computed; a full comparison needs a GPU.
  w.reference = [p, known](std::span<void* const> addresses) {
    solve_on_host(p, *known, attached(p, buffers, addresses));
  };
  w.quality = [p](std::span<const std::byte* const>) { return lengths(p); };
  w.work = work(p);
  const std::vector<std::int32_t>& to = known->lists.places;
  w.input = {{"hash", hash_hex(to.data(), to.size() * sizeof(std::int32_t))},
             {"tokens", p.tokens()},
             {"sources", p.sources},
             {"destinations", p.destinations},
             {"attending", p.attending()}};
  w.storage = known;
  return w;
}

const axis_conditions is_match = {{"step", {"match"}}};
const variant_limits matching_in_place = {.only_where = is_match, .without = {"scratch"}};
const variant_limits matching_packed = {.only_where = is_match, .minimum_compute_capability = 90};
const variant_limits merging = {.only_where = {{"step", {"merge"}}}};
const variant_limits unmerging = {.only_where = {{"step", {"unmerge"}}}};

}  // namespace

const bool defined = define<problem, checked_problem>(
    {.name = "token_merging",
     .description =
         "FastVGGT's merging of similar tokens around attention: matches, means of q, k and v, and "
         "outputs of all tokens, bf16",
     .axes = {images_axis(), heads_axis(),
              axis_of("step", step_words,
                      "each source's most similar destination; rows of q, k and v that attend; or all "
                      "tokens' outputs"),
              axis::of_words("protected", {"twice", "once"},
                             "destinations that are protected attend as such and once more, as published; or "
                             "as destinations alone"),
              metric_axis(),
              axis_of("scores", score_words,
                      "what rows of x hold: images of one scene; unit normal numbers; integers from -4 to 4, "
                      "for ties; one row for all tokens"),
              axis_of("geometry", geometry_words,
                      "an image: 1008 tokens, 36 x 28 patches; or 1041, of 37 x 28 "
                      "patches and 5 special tokens")
                  .silent_at_default()},
     .baseline = "match_rows",
     .presets = {.published = {"merge_atomics", "unmerge_in_turn"},
                 .best = {"merge_chains", "match_hopper", "unmerge_at_once", "match_mma"}},
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .compare = ABLATE_LAUNCH(judge_with_fp64),
     .fill = ABLATE_LAUNCH(make_inputs),
     .switches = {{"core",
                   "which instructions multiply sources by destinations",
                   {{"fma", "FMA, a destination per thread"},
                    {"mma", "mma.sync"},
                    {"hopper", "wgmma, operands packed for TMA"}},
                   "tensor pipe activity, up; DRAM bytes, down"},
                  {"sums",
                   "how the rows merged into a destination are added",
                   {{"atomics", "by fp32 atomics to sums in memory, as published"},
                    {"chains", "in registers, along a linked list of the destination's sources"}},
                   "DRAM bytes, from 12 per element of the sums to none",
                   "FastVGGT, arXiv 2509.02560: atomics"},
                  {"passes",
                   "launches that write the outputs of all tokens",
                   {{"3"}, {"1"}},
                   "launches; DRAM bytes written, down by a tenth",
                   "FastVGGT, arXiv 2509.02560: 3"}},
     .variants = {
         {"match_rows",
          ABLATE_LAUNCH(find_matches),
          {{"core", "fma"}},
          "matches by FMA instructions, without tensor cores: eight sources per thread block, a destination "
          "per thread",
          matching_in_place},
         {"match_mma",
          ABLATE_LAUNCH(find_matches),
          {{"core", "mma"}},
          "matches by mma.sync in tiles of 128 x 128; a row keeps its greatest product in registers",
          matching_in_place},
         {"match_hopper",
          ABLATE_LAUNCH(find_matches),
          {{"core", "hopper"}},
          "matches by wgmma in tiles of 128 x 256, rows packed for TMA; a row's greatest product by an "
          "atomic maximum",
          matching_packed},
         {"merge_atomics",
          ABLATE_LAUNCH(merge),
          {{"sums", "atomics"}},
          "merging as published: fp32 sums in memory, to which sources are added by atomics",
          {.only_where = {{"step", {"merge"}}}, .takes = {{"sums", {"chains"}}}}},
         {"merge_chains",
          ABLATE_LAUNCH(merge),
          {{"sums", "chains"}},
          "merging by linked lists of each destination's sources, walked and added up in registers",
          merging},
         {"unmerge_in_turn",
          ABLATE_LAUNCH(unmerge),
          {{"passes", "3"}},
          "unmerging as published: destinations, sources and protected tokens written by a launch each",
          {.only_where = {{"step", {"unmerge"}}}, .takes = {{"passes", {"1"}}}}},
         {"unmerge_at_once",
          ABLATE_LAUNCH(unmerge),
          {{"passes", "1"}},
          "unmerging in one launch, in which each token fetches its row",
          unmerging},
     }});

}  // namespace ablate::token_merging
