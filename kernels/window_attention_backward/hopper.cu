// The variants of the Hopper cores, each by its switches; the kernels are in the files named next to them. A
// variant with `rows=contiguous` is the floor of all ways to find rows: the same kernels compute rows without
// a table, so the difference is the cost of redirection through the scope table. Should move: see the
// kernels' files; with computed rows, loads of a table entry per tile, to none.
#include "kernels/common/switches.h"
#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/launches.h"

namespace ablate::window_attention_backward {

namespace {

void differentiate_as_stated(launcher& to, const problem& p, const switches& s) {
  const text_view dq = s.word("dq");
  const bool rounds_last = s.has("rounding");
  if (dq == "split_kv") return differentiate_in_parts_on_hopper(to, p);        // hopper_split_kv.cu
  if (dq == "per_shape_best") return differentiate_by_shape_on_hopper(to, p);  // hopper_per_shape_best.cu
  if (s.has("delta")) return differentiate_by_windows_in_one_launch(to, p);    // hopper_window_per_cta.cu
  if (rounds_last && dq == "bulk")
    return differentiate_by_bulk_copies_then_round(to, p);  // hopper_rounded.cu
  if (dq == "reductions" && s.is_on("persistent"))
    return rounds_last ? differentiate_by_persistent_blocks_then_round(to, p)  // hopper_rounded.cu
                       : differentiate_by_persistent_blocks(to, p);            // hopper_persistent.cu
  if (rounds_last) return differentiate_by_reductions_then_round(to, p);       // hopper_rounded.cu
  if (s.has("groups"))
    return s.word("groups") == "paired" ? differentiate_by_four_groups(to, p)    // hopper_four_groups.cu
                                        : differentiate_with_private_dq(to, p);  // hopper_four_groups.cu
  differentiate_on_hopper(to, p, dq);                                            // cores.cu
}

}  // namespace

void hopper(launcher& to, const problem& p, const switches& s) {
  if (!p.does(phase::differentiate)) return;
  problem found = p;
  if (s.word("rows") == "contiguous") found.attention.scope = nullptr;
  differentiate_as_stated(to, found, s);
}

}  // namespace ablate::window_attention_backward
