#include "variants/block_sparse_attention_backward/buffers.h"

#include "variants/block_sparse_attention/buffers.h"
#include "variants/global_attention/buffers.h"
#include "variants/global_attention_backward/buffers.h"

namespace ablate::block_sparse_attention_backward {

bound_buffers buffers(checked_problem& p) {
  using namespace global_attention_backward;
  const std::int64_t sampled = p.forward_checks.sample_count;
  const auto words_of_head = [&](std::int64_t count) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(p.forward.heads * count);
  };
  std::size_t of_rows = 0;
  cut_reference(p, &of_rows);
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return global_attention::joined(
      {block_sparse_attention::buffers_of(p.forward, p.forward_checks),
       gradients_of(p.forward, p),
       {bind("row_scratch", p.row_scratch, window_attention_backward::scratch_bytes(rows_of(p)), device,
             poison),
        bind("turned", p.turned, words_of_head(p.key_blocks() * p.query_words()), device, poison),
        bind("turned_counts", p.turned_counts, words_of_head(p.key_blocks()), device, poison)},
       samples_of(p, sampled),
       {bind("gradients_found", p.found, sizeof(findings), buffer_role::finding, poison)},
       sampled_gradients_of(p, sampled),
       {bind("row_gradient_reference", p.row_reference, of_rows, buffer_role::reference,
             buffer_reset::zeros_once)}});
}

}  // namespace ablate::block_sparse_attention_backward
