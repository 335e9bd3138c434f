#include "kernels/common/memory_cutter.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

scratch_memory cut_scratch(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.scratch)};
  scratch_memory memory{};
  const window_attention::problem& a = p.attention;
  cutter.cut(memory.row_statistics, 2 * a.batches * a.heads * a.tokens);
  cutter.cut(memory.q_gradient_sums, a.elements());
  if (a.window <= longest_window_in_parts)
    cutter.cut(memory.q_gradient_parts, a.window / keys_of_a_part * a.elements());
  if (bytes) *bytes = cutter.used;
  return memory;
}

std::size_t scratch_bytes(const problem& p) { return bytes_cut(cut_scratch, p); }

kept_memory cut_kept_memory(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.kept_sums)};
  const window_attention::problem& a = p.attention;
  kept_memory kept{};
  cutter.cut(kept.q_gradient_sums, a.elements());
  cutter.cut(kept.arrivals, a.batches * a.heads * a.tokens / rows_of_arrivals * arrivals_of_rows);
  if (bytes) *bytes = cutter.used;
  return kept;
}

std::size_t kept_memory_bytes(const problem& p) { return bytes_cut(cut_kept_memory, p); }

}  // namespace ablate::window_attention_backward
