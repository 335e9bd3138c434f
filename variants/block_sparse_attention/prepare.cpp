#include "variants/block_sparse_attention/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "harness/inputs/random.h"
#include "oracles/block_sparse_attention/reference.h"
#include "oracles/block_sparse_selection/reference.h"
#include "variants/block_sparse_attention/buffers.h"
#include "variants/block_sparse_faults.h"
#include "variants/global_attention/rows.h"
#include "variants/global_attention/samples.h"

namespace ablate::block_sparse_attention {
namespace {

namespace choice = block_sparse_selection;

using bits_of_rows = std::vector<std::uint32_t>;  ///< [samples][words]

/// What the oracle knows of one head: places in the order of blocks, each with its query block.
struct known_blocks {
  std::vector<std::int32_t> order;  ///< patches_in_order, where tokens are moved
  std::vector<sampled_row> samples, blocks;
  std::vector<std::int64_t> places;
  std::vector<exact_token> dense;
  std::vector<choice::exact_row> chosen;  ///< of the query blocks
  bits_of_rows bits;                      ///< the oracle's own
  std::vector<exact_token> out;           ///< by these
  std::vector<exact_token> by_bf16;       ///< as above, where products are of int8
  double kept_share = 0;                  ///< of key blocks, on the mean of many query blocks
  // Where scores are equal to fp32 a choice may differ from the oracle's. What fp64 makes of it takes a walk
  // over all tokens, and all variants choose the same.
  bits_of_rows other_bits;
  std::vector<exact_token> other_out;
};

std::vector<exact_token> attended_by(const checked_problem& p, const known_blocks& known,
                                     const std::uint32_t* bits) {
  const auto words = static_cast<std::size_t>(choice_of(p).words());
  std::vector<const std::uint32_t*> of_rows;
  for (std::size_t i = 0; i < known.places.size(); ++i) of_rows.push_back(bits + i * words);
  return reference_kept(p, known.samples.front().head, known.places, of_rows);
}

const std::vector<exact_token>& expected_by(const checked_problem& p, known_blocks& known,
                                            const std::uint32_t* seen) {
  const auto is_of = [&](const bits_of_rows& bits) { return std::equal(bits.begin(), bits.end(), seen); };
  if (is_of(known.bits)) return known.out;
  if (known.other_bits.empty() || !is_of(known.other_bits)) {
    known.other_bits.assign(seen, seen + known.bits.size());
    known.other_out = attended_by(p, known, seen);
  }
  return known.other_out;
}

/// The first token and the last one in blocks, a special one where there are any, and others all along a
/// head.
void sample_blocks_of_queries(const checked_problem& p, random_stream& random, known_blocks& known) {
  const std::int32_t head = global_attention::sampled_head(p, random);
  const std::int64_t patches = p.layout().patches();
  for (std::int64_t i = 0; i < p.sample_count; ++i) {
    const bool is_last = i + 1 == p.sample_count, is_special = i == 1 && patches < p.tokens;
    const std::int64_t drawn = random.below(static_cast<std::uint32_t>(patches));
    const std::int64_t token = i == 0 ? 0 : is_last ? patches - 1 : is_special ? p.tokens - 1 : drawn;
    known.places.push_back(token);
    known.samples.push_back({0, static_cast<std::int32_t>(token), head});
    const std::int64_t block = std::min(token, patches - 1) / choice::query_block;
    known.blocks.push_back({0, static_cast<std::int32_t>(block), head});
  }
}

/// By query blocks all along the head.
double share_kept(const checked_problem& p, std::int64_t head, const std::vector<row_values>& keys) {
  constexpr std::int64_t most = 64;
  const choice::problem chosen = choice_of(p);
  const std::int64_t rows = std::min(most, chosen.queries);
  double kept = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t block = i * chosen.queries / rows;
    kept += choice::reference_row(chosen, reference_query_mean(p, head, block), keys).count;
  }
  return kept / static_cast<double>(rows * chosen.keys);
}

known_blocks know_blocks(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  known_blocks known;
  sample_blocks_of_queries(p, random, known);
  const std::int64_t head = known.samples.front().head;
  const token_order order(p.layout(), p.order);
  std::vector<std::int64_t> tokens;
  for (const std::int64_t place : known.places) tokens.push_back(order.token_at(place));
  known.dense = global_attention::reference_among_all(p.as_layer(), head, tokens);
  if (p.moves_tokens()) known.order = patches_in_order(p.geometry, p.order);
  const std::vector<row_values> keys = reference_key_means(p, head);
  for (const sampled_row& at : known.blocks) {
    known.chosen.push_back(choice::reference_row(choice_of(p), reference_query_mean(p, head, at.row), keys));
    const bits_of_rows& bits = known.chosen.back().kept;
    known.bits.insert(known.bits.end(), bits.begin(), bits.end());
  }
  known.kept_share = share_kept(p, head, keys);
  known.out = attended_by(p, known, known.bits.data());
  if (!p.multiplies_int8) return known;
  checked_problem by_bf16 = p;
  by_bf16.multiplies_int8 = false;
  known.by_bf16 = attended_by(by_bf16, known, known.bits.data());
  return known;
}

std::optional<std::string> fault_of_int8(const problem& p,
                                         const compression_attention::int8_findings& found) {
  const compression_attention::quantization of = quantization_of(p);
  const std::int64_t query_blocks = p.heads * of.blocks.query_blocks(),
                     boxes = p.heads * of.blocks.boxes(p.tokens);
  if (found.wrong_means != 0)
    return fmt::format("int8: {} elements of the means of k are wrong", found.wrong_means);
  if (found.judged != static_cast<unsigned long long>(query_blocks + boxes))
    return fmt::format("int8: {} of {} blocks of rows were judged", found.judged, query_blocks + boxes);
  if (found.wrong == 0) return std::nullopt;
  const auto first = static_cast<std::int64_t>(found.first_wrong);
  return fmt::format("int8: {} blocks of rows are wrong; the first, of {}, number {} of all heads",
                     found.wrong, first < query_blocks ? "q" : "k",
                     first < query_blocks ? first : first - query_blocks);
}

/// Each part, from what the one before it left.
std::optional<check_result> fault_of_parts(const checked_problem& p, const findings& found) {
  if (p.moves_tokens() && found.wrongly_moved != 0)
    return check_result{false, fmt::format("{} elements are others in the order of blocks, or back from it",
                                           found.wrongly_moved)};
  const choice::problem chosen = choice_of(p);
  for (const auto& [what, of, blocks] : {std::tuple{"means of q", &found.means[0], chosen.queries},
                                         {"means of k", &found.means[1], chosen.keys}})
    if (const auto fault = choice::fault_of_means(what, *of, p.heads, blocks))
      return check_result{false, *fault};
  if (const auto fault = choice::fault_of_rows(chosen, found.kept)) return check_result{false, *fault};
  if (p.multiplies_int8)
    if (const auto fault = fault_of_int8(p, found.int8)) return check_result{false, *fault};
  if (p.stops_ahead) return std::nullopt;
  return global_attention::fault_in_rows("O", found.attention.of, checked_kept_of(p));
}

check_result check(const checked_problem& p, known_blocks& known, const checked_problem& seen) {
  if (const auto fault = fault_of_parts(p, *seen.found)) return *fault;
  const choice::checked_problem chosen = checked_choice_of(p);
  for (std::size_t i = 0; are_exact(p.what) && i < known.chosen.size(); ++i) {
    const choice::exact_row& exact = known.chosen[i];
    const choice::row_facts facts =
        facts_of(exact, seen.sampled_kept + i * static_cast<std::size_t>(chosen.words()));
    const choice::row_fault fault = fault_of(facts, chosen.asked(), seen.sampled_counts[i], exact.greatest());
    if (fault != choice::row_fault::none)
      return {false, choice::fault_by_oracle(known.blocks[i], exact, fault)};
  }
  if (p.stops_ahead) return {.ok = true};
  const std::vector<exact_token>& expected = expected_by(p, known, seen.sampled_kept);
  if (const auto fault = global_attention::fault_of_tokens(known.samples, expected, seen)) return *fault;
  return {true, "", seen.found->attention.of.out.worst.error, global_attention::accepted_row_error};
}

/// How many tokens a token attends to on the mean, if it keeps this share of the key blocks.
double tokens_kept(const problem& p, double share_of_blocks) {
  const auto all = static_cast<double>(p.tokens), in_blocks = static_cast<double>(p.layout().patches());
  const double special = all - in_blocks;
  return (in_blocks * (in_blocks * share_of_blocks + special) + special * all) / all;
}

// Sparsity: of the mask, with the tokens that are always kept; of the operations, with those among means.
nlohmann::ordered_json quality(const checked_problem& p, known_blocks& known, const checked_problem& seen) {
  nlohmann::ordered_json figures;
  if (!p.stops_ahead) {
    const std::vector<exact_token>& expected = expected_by(p, known, seen.sampled_kept);
    figures = global_attention::error_figures(seen.found->attention.of,
                                              global_attention::sampled_error(expected, seen));
    figures["attention_mass_kept"] = global_attention::kept_mass(known.dense, seen);
    figures["distance_from_dense"] = global_attention::mean_distance(known.dense, seen);
    if (p.multiplies_int8)
      figures["distance_from_bf16"] = global_attention::mean_distance(known.by_bf16, seen);
  }
  const choice::problem chosen = choice_of(p);
  const auto rows = static_cast<double>(seen.found->kept.summed_rows),
             keys = static_cast<double>(chosen.keys), tokens = static_cast<double>(p.tokens);
  const double kept = static_cast<double>(seen.found->kept.kept_blocks) / (rows * keys),
               attended = tokens_kept(p, kept) / tokens;
  figures["compared_lists"] = seen.found->kept.rows;
  figures["sparsity_blocks"] = 1 - kept;
  figures["sparsity_selection"] = 1 - attended;
  figures["sparsity_flops"] =
      1 - attended - static_cast<double>(chosen.queries) * keys / (2 * tokens * tokens);
  figures["mass_of_means_kept"] = static_cast<double>(seen.found->kept.kept_mass) * 0x1p-32 / rows;
  return figures;
}

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, const known_blocks& known, const checked_problem& host) {
  findings& found = *host.found;
  const choice::problem chosen = choice_of(p);
  found.attention = global_attention::no_fault_in(checked_kept_of(p));
  found.means[0] = {static_cast<unsigned long long>(p.heads * chosen.queries), 0, ~0ull};
  found.means[1] = {static_cast<unsigned long long>(p.heads * chosen.keys), 0, ~0ull};
  found.kept = {static_cast<unsigned long long>(chosen.rows()), 0, ~0ull, 0, 0, 0};
  const compression_attention::kept_blocks blocks = quantization_of(p).blocks;
  found.wrongly_moved = 0;
  found.int8 = {static_cast<unsigned long long>(p.heads * (blocks.query_blocks() + blocks.boxes(p.tokens))),
                0, ~0ull, 0};
  std::ranges::copy(known.bits, host.sampled_kept);
  for (std::size_t i = 0; i < known.chosen.size(); ++i) {
    const choice::exact_row& row = known.chosen[i];
    host.sampled_counts[i] = row.count;
    ++found.kept.summed_rows;
    found.kept.kept_blocks += static_cast<unsigned long long>(row.count);
    found.kept.kept_mass += static_cast<unsigned long long>(row.mass * 0x1p32);
  }
  global_attention::store(known.out, host);
}

// Compulsory: q, k and v read once, O and the log-sum-exp written. Products: where blocks are chosen, among
// means, of each pair once; of tokens with those they attend to, twice. How many that are, sampled query
// blocks tell. Moving tokens into another order and making int8 of them is no work that the method requires.
// The tensor pipe multiplies int8 at twice the rate of bf16, so a product of these counts as half of one: the
// floor by the rate of bf16 stays the least time.
work_model work(const problem& p, const known_blocks& known) {
  const auto all = static_cast<double>(p.elements());
  const choice::problem chosen = choice_of(p);
  const double written = 2 * all + 4 * all / width,
               among_means = p.lists_are_given ? 0 : 2.0 * width * static_cast<double>(chosen.pairs());
  if (p.stops_ahead) {
    const double bits = 4 * static_cast<double>(chosen.rows() * (chosen.words() + 1));
    return {.bytes = 4 * all + bits, .written_bytes = bits, .flops = among_means, .flop_pipe = "tensor_bf16"};
  }
  const double scores = p.multiplies_int8 ? 1 : 2, products = scores + 2;
  return {.bytes = 6 * all + written,
          .written_bytes = written,
          .flops = among_means + products * all * tokens_kept(p, known.kept_share),
          .flop_pipe = "tensor_bf16",
          .exponentials = all / width * tokens_kept(p, known.kept_share)};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const auto known = std::make_shared<known_blocks>(know_blocks(p, inputs.seed()));
  const choice::problem chosen = choice_of(p);
  workload w;
  w.contents = contents_of(p, buffers,
                           {{"order_table", std::as_bytes(std::span(known->order))},
                            {"block_samples", std::as_bytes(std::span(known->blocks))},
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
  w.work = work(p, *known);
  w.input = {{"hash", global_attention::input_hash(p.as_layer(), known->samples)},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.tokens},
             {"query_blocks", chosen.queries},
             {"key_blocks", chosen.keys}};
  w.storage = known;
  return w;
}

}  // namespace ablate::block_sparse_attention
