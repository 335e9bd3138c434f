#include "variants/merged_attention/buffers.h"

#include <algorithm>

#include "variants/global_attention/buffers.h"

namespace ablate::merged_attention {

namespace {

std::size_t entries(std::int64_t count) { return sizeof(std::int32_t) * static_cast<std::size_t>(count); }

/// The partition, what tokens are matched by, and matches.
bound_buffers matching_buffers_of(problem& p) {
  token_merging::problem& m = p.merging;
  const std::size_t metric_rows =
      m.metric == token_merging::metric::mean_of_heads ? 2 * width * static_cast<std::size_t>(p.tokens) : 0;
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("source_tokens", m.source_tokens, entries(m.sources)),
          bind("destination_tokens", m.destination_tokens, entries(m.destinations)),
          bind("appended_tokens", m.appended_tokens, entries(m.appended)),
          bind("places", m.places, entries(p.tokens)),
          bind("x", m.x, 2 * static_cast<std::size_t>(p.elements()), device),
          bind("metric_rows", m.metric_rows, metric_rows, device, poison),
          bind("best", m.best, entries(m.sources), buffer_role::output, poison),
          bind("similarity", m.similarity, entries(m.sources), buffer_role::result, poison)};
}

/// Merged rows, and what their attention leaves.
bound_buffers merged_buffers_of(problem& p) {
  using token_merging::step;
  token_merging::problem& m = p.merging;
  const std::size_t rows = 2 * width * static_cast<std::size_t>(p.heads * m.attending());
  const std::size_t scratch = std::max(token_merging::scratch_bytes(merging_of(p, step::match)),
                                       token_merging::scratch_bytes(merging_of(p, step::merge)));
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("merged_q", m.merged[0], rows, device, poison),
          bind("merged_k", m.merged[1], rows, device, poison),
          bind("merged_v", m.merged[2], rows, device, poison),
          bind("attended", p.attended, rows, device, poison),
          bind("scratch", p.scratch, scratch, device, poison)};
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  using namespace global_attention;
  const auto finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const std::size_t sampled = entries(p.source_sample_count);
  return joined({tensors_of(p),
                 matching_buffers_of(p),
                 merged_buffers_of(p),
                 outputs_of(p),
                 samples_of(p),
                 {bind("source_samples", p.source_samples, sampled),
                  bind("found", p.found, sizeof(findings), finding, poison),
                  bind("sampled_best", p.sampled_best, sampled, finding, poison),
                  bind("sampled_similarity", p.sampled_similarity, sampled, finding, poison)},
                 sampled_rows_of(p),
                 {bind("row_reference", p.row_reference,
                       compression_attention::reference_bytes(checked_among_merged_of(p)),
                       buffer_role::reference, buffer_reset::zeros_once)}});
}

}  // namespace ablate::merged_attention
