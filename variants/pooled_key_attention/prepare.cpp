#include "variants/pooled_key_attention/prepare.h"

#include <memory>
#include <vector>

#include "oracles/pooled_key_attention/reference.h"
#include "variants/block_sparse_faults.h"
#include "variants/global_attention/rows.h"
#include "variants/global_attention/samples.h"
#include "variants/pooled_key_attention/buffers.h"

namespace ablate::pooled_key_attention {
namespace {

using block_sparse_selection::block_means;

/// What the oracle knows of one head.
struct known_rows {
  std::vector<sampled_row> samples;
  std::vector<global_attention::exact_token> dense, out;
};

known_rows know(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const std::int32_t head = global_attention::sampled_head(p, random);
  known_rows known;
  known.samples = global_attention::sample_rows(0, p.tokens, p.sample_count, head, random);
  const global_attention::checked_layer made = p.as_layer();
  const global_attention::exact_head exact =
      global_attention::reference_with_means(made, head, global_attention::rows_of(known.samples));
  known.dense = exact.dense;
  for (const sampled_row& at : known.samples)
    known.out.push_back(reference_to_means(made, exact, head, at.row));
  return known;
}

/// Names of what means_of has.
std::vector<const char*> names_of_means(const problem& p) {
  if (p.layout().patches() == p.tokens) return {"means of k", "means of v"};
  return {"means of k", "special tokens of k", "means of v", "special tokens of v"};
}

/// Each part, from what the one before it left.
std::optional<check_result> fault_of_parts(const checked_problem& p, const findings& found) {
  const std::vector<block_means> means = means_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    if (const auto fault = block_sparse_selection::fault_of_means(names_of_means(p)[i], found.means[i],
                                                                  p.heads, means[i].blocks()))
      return check_result{false, *fault};
  if (p.stops_ahead) return std::nullopt;
  return global_attention::fault_in_rows("O", found.attention.of, checked_attention_of(p));
}

check_result check(const checked_problem& p, const known_rows& known, const checked_problem& seen) {
  if (const auto fault = fault_of_parts(p, *seen.found)) return *fault;
  if (p.stops_ahead) return {.ok = true};
  if (const auto fault = global_attention::fault_of_tokens(known.samples, known.out, seen)) return *fault;
  return {true, "", seen.found->attention.of.out.worst.error, global_attention::accepted_row_error};
}

nlohmann::ordered_json quality(const checked_problem& p, const known_rows& known,
                               const checked_problem& seen) {
  nlohmann::ordered_json figures;
  if (!p.stops_ahead) {
    figures = global_attention::error_figures(seen.found->attention.of,
                                              global_attention::sampled_error(known.out, seen));
    figures["distance_from_dense"] = global_attention::mean_distance(known.dense, seen);
  }
  figures["sparsity_flops"] = 1 - static_cast<double>(p.rows_of_keys()) / static_cast<double>(p.tokens);
  return figures;
}

/// On the host only the samples are computed; a full comparison needs a GPU.
void write_reference(const checked_problem& p, const known_rows& known, const checked_problem& host) {
  findings& found = *host.found;
  found.attention = global_attention::no_fault_in(checked_attention_of(p));
  const std::vector<block_means> means = means_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    found.means[i] = {static_cast<unsigned long long>(p.heads * means[i].blocks()), 0, ~0ull};
  global_attention::store(known.out, host);
}

// Compulsory: q, k and v read once, O and the log-sum-exp written; of what goes ahead, k and v read and their
// means written. Products: of all tokens with all means, twice.
work_model work(const problem& p) {
  const auto all = static_cast<double>(p.elements()), keys = static_cast<double>(p.rows_of_keys());
  const double means = 4.0 * width * static_cast<double>(p.heads) * keys;
  if (p.stops_ahead) return {.bytes = 4 * all + means, .written_bytes = means};
  const double written = 2 * all + 4 * all / width;
  return {.bytes = (p.lists_are_given ? 2 * all + means : 6 * all) + written,
          .written_bytes = written,
          .flops = 4 * all * keys,
          .flop_pipe = "tensor_bf16",
          .exponentials = all / width * keys};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  const auto known = std::make_shared<const known_rows>(know(p, inputs.seed()));
  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
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
  w.input = {{"hash", global_attention::input_hash(p.as_layer(), known->samples)},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.tokens},
             {"rows_of_keys", p.rows_of_keys()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::pooled_key_attention
