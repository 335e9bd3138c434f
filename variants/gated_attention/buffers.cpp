#include "variants/gated_attention/buffers.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/findings.h"
#include "variants/global_attention/buffers.h"

namespace ablate::gated_attention {

namespace {

/// What the parts hand on.
bound_buffers handed_on(problem& p) {
  const auto blocks = static_cast<std::size_t>(p.heads * p.blocks()),
             selected = static_cast<std::size_t>(p.selected);
  const std::size_t rows = 2 * width * blocks;
  const auto result = buffer_role::result;
  const auto poison = buffer_reset::poison;
  return {bind("pooled_q", p.pooled[0], rows, result, poison),
          bind("pooled_k", p.pooled[1], rows, result, poison),
          bind("pooled_v", p.pooled[2], rows, result, poison),
          bind("compressed", p.compressed, rows, result, poison),
          bind("compressed_lse", p.compressed_lse, sizeof(float) * blocks, result, poison),
          bind("table", p.table, sizeof(std::int32_t) * blocks * selected, result, poison),
          bind("scratch", p.scratch, compression_attention::scratch_bytes(compression_of(p)),
               buffer_role::scratch, poison)};
}

/// What the comparison finds of sampled blocks.
bound_buffers findings_of(const problem& p, checks& c) {
  const auto sampled = static_cast<std::size_t>(c.block_sample_count);
  const auto finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  return {bind("found", c.found, sizeof(findings), finding, poison),
          bind("sampled_compressed", c.sampled_compressed, sizeof(float) * sampled * width, finding, poison),
          bind("sampled_compressed_lse", c.sampled_compressed_lse, sizeof(float) * sampled, finding, poison),
          bind("sampled_table", c.sampled_table,
               sizeof(std::int32_t) * sampled * static_cast<std::size_t>(p.selected), finding, poison)};
}

}  // namespace

bound_buffers buffers_of(problem& p, checks& c) {
  using namespace global_attention;
  const auto reference = buffer_role::reference;
  const auto once = buffer_reset::zeros_once;
  return joined(
      {tensors_of(p),
       {bind("gates", p.gates, 8 * static_cast<std::size_t>(p.heads * p.tokens), buffer_role::scratch)},
       handed_on(p),
       outputs_of(p),
       {bind("block_samples", c.block_samples,
             sizeof(sampled_row) * static_cast<std::size_t>(c.block_sample_count))},
       samples_of(c),
       findings_of(p, c),
       sampled_rows_of(c),
       {bind("row_reference", c.row_reference,
             compression_attention::reference_bytes(checked_compression_of({p, c})), reference, once),
        bind("selection_reference", c.selection_reference,
             selection_attention::reference_bytes(checked_selection_of({p, c})), reference, once)}});
}

bound_buffers buffers(checked_problem& p) { return buffers_of(p, p); }

}  // namespace ablate::gated_attention
