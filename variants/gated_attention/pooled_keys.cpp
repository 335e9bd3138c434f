#include "variants/gated_attention/pooled_keys.h"

#include <memory>
#include <vector>

#include "kernels/gated_attention/parts.h"
#include "variants/block_sparse_faults.h"
#include "variants/gated_attention/check.h"
#include "variants/gated_attention/prepare.h"
#include "variants/gated_attention/rows.h"

namespace ablate::gated_attention {
namespace {

using block_sparse_selection::block_means;

/// Names of what pooled_keys_of has.
std::vector<const char*> names_of_means(const problem& p) {
  if (p.layout().patches() == p.tokens) return {"means of k", "means of v"};
  return {"means of k", "special tokens of k", "means of v", "special tokens of v"};
}

/// Each part, from what the one before it left.
std::optional<check_result> fault_of_pooled_parts(const checked_problem& p, const findings& found) {
  const std::vector<block_means> means = pooled_keys_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    if (const auto fault = block_sparse_selection::fault_of_means(names_of_means(p)[i], found.means[i],
                                                                  p.heads, means[i].blocks()))
      return check_result{false, *fault};
  if (p.stops_ahead) return std::nullopt;
  return fault_in_rows("O", found.compression.of, checked_to_pooled_keys_of(p));
}

check_result check_pooled_keys(const checked_problem& p, const known_layer& known,
                               const checked_problem& seen) {
  if (const auto fault = fault_of_pooled_parts(p, *seen.found)) return *fault;
  if (p.stops_ahead) return {.ok = true};
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const auto fault = fault_of_token(known.samples[i], known.out[i], seen, i)) return *fault;
  return {true, "", seen.found->compression.of.out.worst.error, accepted_row_error};
}

nlohmann::ordered_json quality_of_pooled_keys(const checked_problem& p, const known_layer& known,
                                              const checked_problem& seen) {
  nlohmann::ordered_json figures;
  if (!p.stops_ahead) {
    double sampled = 0;
    for (std::size_t i = 0; i < known.samples.size(); ++i)
      sampled = std::max(sampled, sampled_error(known.out[i], seen, i));
    figures = error_figures(seen.found->compression.of, sampled);
    figures["distance_from_dense"] = mean_distance(known.dense, seen);
  }
  figures["sparsity_flops"] = 1 - static_cast<double>(p.rows_of_keys()) / static_cast<double>(p.tokens);
  return figures;
}

/// On the host only the samples are computed; whoever looks at the whole takes a GPU.
void write_pooled_keys(const checked_problem& p, const known_layer& known, const checked_problem& host) {
  findings& found = *host.found;
  const auto none = window_attention::no_deviation(checked_to_pooled_keys_of(p).compared_rows());
  found.compression = {{none, none}, 0, 0, ~0ull};
  const std::vector<block_means> means = pooled_keys_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    found.means[i] = {static_cast<unsigned long long>(p.heads * means[i].blocks()), 0, ~0ull};
  for (std::size_t i = 0; i < known.out.size(); ++i) {
    store(known.out[i].out, host.sampled_out, i);
    host.sampled_lse[i] = static_cast<float>(known.out[i].lse);
  }
}

// Compulsory: q, k and v read once, O and the log-sum-exp written; of what goes ahead, k and v read and their
// means written. Products: of all tokens with all means, twice.
work_model work_of_pooled_keys(const problem& p) {
  const auto all = static_cast<double>(p.elements()), keys = static_cast<double>(p.rows_of_keys());
  const double means = 4.0 * width * static_cast<double>(p.heads) * keys;
  if (p.stops_ahead) return {.bytes = 4 * all + means, .written_bytes = means};
  const double written = 2 * all + 4 * all / width;
  return {.bytes = (p.lists_are_given ? 2 * all + means : 6 * all) + written,
          .written_bytes = written,
          .flops = 4 * all * keys,
          .flop_pipe = "tensor_bf16"};
}

}  // namespace

workload prepare_pooled_keys(const checked_problem& p, const input_library& inputs) {
  const auto known = std::make_shared<const known_layer>(know(p, inputs.seed()));
  workload w;
  w.contents = contents_of(p, buffers, {{"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check_pooled_keys(p, *known, attached(p, buffers, outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality_of_pooled_keys(p, *known, attached(p, buffers, outputs));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    write_pooled_keys(p, *known, attached(p, buffers, addresses));
  };
  w.work = work_of_pooled_keys(p);
  w.input = {{"hash", input_hash(p, known->samples)},
             {"tokens", p.tokens},
             {"attending_rows", p.heads * p.tokens},
             {"rows_of_keys", p.rows_of_keys()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::gated_attention
