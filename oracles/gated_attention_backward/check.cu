// The layer's parts against plain arithmetic on the device, and the inputs, generated there. Not measured. A
// part's reference starts from the output of the part before it, which may differ between launches: so plain
// gradients are recomputed each time, while the parts' own operations keep them.
#include "kernels/common/fill.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention/launches.h"
#include "oracles/gated_attention_backward/checked_selection_attention.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/checked_window_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "oracles/gated_attention_backward/launches.h"
#include "oracles/global_attention_backward/launches.h"
#include "oracles/selection_attention/launches.h"
#include "oracles/selection_attention_backward/launches.h"

namespace ablate::gated_attention_backward {

constexpr int check_threads = 256;

__global__ __launch_bounds__(check_threads) void gather_lists(const std::int32_t* table, long long entries,
                                                              std::int32_t* to) {
  const long long i = blockIdx.x * static_cast<long long>(check_threads) + threadIdx.x;
  if (i < entries) to[i] = table[i];
}

__global__ void clear_counts(findings* found) {
  found->wrongly_moved = found->listed = found->turned_around = found->not_turned = 0;
}

/// What move_rows.cu moved, one element after the other.
struct compared_moves {
  const std::uint16_t *moved[5], *from[5];
  const float *moved_lse, *lse;
  const std::uint16_t *moved_gradient[gradients], *gradient[gradients];
  long long heads, rows, padded;
};

__global__ __launch_bounds__(check_threads) void compare_moves(const __grid_constant__ compared_moves m,
                                                               findings* found) {
  const long long i = blockIdx.x * static_cast<long long>(check_threads) + threadIdx.x;
  if (i >= m.heads * m.padded * width) return;
  const long long row = i / width, in_head = row % m.padded, from = row / m.padded * m.rows + in_head;
  const bool is_there = in_head < m.rows;
  unsigned long long wrong = 0;
#pragma unroll
  for (int of = 0; of < 5; ++of)
    wrong += m.moved[of][i] != (is_there ? m.from[of][from * width + i % width] : 0);
  wrong += i % width == 0 && m.moved_lse[row] != (is_there ? m.lse[from] : 0);
#pragma unroll
  for (int of = 0; of < gradients; ++of)
    wrong += is_there && m.gradient[of][from * width + i % width] != m.moved_gradient[of][i];
  if (wrong > 0) atomicAdd(&found->wrongly_moved, wrong);
}

/// A thread an entry of the table: it is to be in the row of the block that it names. With as many entries
/// in all rows as in all lists, and no block twice in a list, rows have nothing else.
__global__ __launch_bounds__(check_threads) void compare_lists(list_transpose::problem lists,
                                                               findings* found) {
  const long long i = blockIdx.x * static_cast<long long>(check_threads) + threadIdx.x;
  if (i == 0) found->turned_around = static_cast<unsigned long long>(lists.offsets[lists.rows()]);
  if (i >= lists.entries()) return;
  const std::int32_t key = lists.table[i];
  if (!list_transpose::is_taken(key, lists.lowest, lists.blocks)) return;
  atomicAdd(&found->listed, 1ull);
  const long long list = i / lists.selected, row = list / lists.blocks * lists.blocks + key;
  for (long long at = lists.offsets[row]; at < lists.offsets[row + 1]; ++at)
    if (lists.queries[at] == list % lists.blocks) return;
  atomicAdd(&found->not_turned, 1ull);
}

/// What the comparisons with plain gradients begin at.
void count_faults(launcher& to, const checked_problem& p) {
  launch(to, clear_counts, dim3(1), dim3(1), 0, p.found);
  const list_transpose::problem lists = inversion_of(p);
  launch(to, compare_lists, dim3(blocks_for(lists.entries(), check_threads)), dim3(check_threads), 0, lists,
         p.found);
  if (!p.moves_rows()) return;
  const gated_attention::problem& f = p.forward;
  const moved_rows moved = cut_moved_rows(p);
  const compared_moves moves{{moved.of[0], moved.of[1], moved.of[2], moved.of[3], moved.of[4]},
                             {f.pooled[0], f.pooled[1], f.pooled[2], f.compressed, p.compressed_gradient},
                             moved.lse,
                             f.compressed_lse,
                             {moved.gradient[0], moved.gradient[1], moved.gradient[2]},
                             {p.pooled_gradient[0], p.pooled_gradient[1], p.pooled_gradient[2]},
                             f.heads,
                             f.blocks(),
                             p.padded_rows()};
  launch(to, compare_moves, dim3(blocks_for(moves.heads * moves.padded * width, check_threads)),
         dim3(check_threads), 0, moves, p.found);
}

/// S, and the gradients by way of lists.
void compare_selection(launcher& to, const checked_problem& p) {
  count_faults(to, p);
  selection_attention::compare_with_plain(to, checked_selected_of(p), {});
  const selection_attention_backward::checked_problem gradient = checked_selection_of(p, true);
  fill(to, {{selection_attention_backward::cut_reference(gradient).is_there, 1, 0}});
  selection_attention_backward::compare_with_plain(to, gradient, {});
  if (!p.knows_keys()) return;
  const long long entries = p.forward.blocks() * p.forward.selected;
  const std::int32_t* const table =
      p.forward.table == nullptr ? nullptr : p.forward.table + p.sampled_head * entries;
  launch(to, gather_lists, dim3(blocks_for(entries, check_threads)), dim3(check_threads), 0, table, entries,
         p.sampled_lists);
}

void compare_parts(launcher& to, const checked_problem& p, const switches& s) {
  gated_attention::compare_parts(to, p.checked_forward(), s);
  compare_selection(to, p);
  global_attention_backward::compare_among_all(to, compared_rows_of(p));
}

void make_inputs(launcher& to, const checked_problem& p, const switches& s) {
  const gated_attention::checked_problem forward = p.checked_forward();
  gated_attention::make_inputs(to, forward, s);
  global_attention_backward::make_out_gradient(to, forward.as_layer(), p.out_gradient);
}

}  // namespace ablate::gated_attention_backward
