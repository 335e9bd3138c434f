// The variants of Hopper's forward core, each by its switches (hopper_forward.h): the core's own forms here,
// other kernels in the files named next to them. A variant with `rows=contiguous` is the floor of all ways to
// find rows: the same kernels compute rows without a table, so the difference is the cost of redirection
// through the scope table. Should move: see the kernels' files.
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

namespace {

bool states(const switches& s, text_view name, text_view word) { return s.has(name) && s.word(name) == word; }

blocks_of_run blocks_of(const switches& s) {
  return states(s, "persistent", "off") ? blocks_of_run::one_a_tile : blocks_of_run::persistent;
}

bool is_in_pairs(const switches& s) {
  return states(s, "exp2", "bf16x2_4of16") || states(s, "exp2", "bf16x2_6of16");
}

void attend_online_as_stated(launcher& to, const problem& p, const switches& s) {
  if (s.word("groups") != "all" || s.word("overlap") == "off")
    attend_in_first_steps(to, p, s, blocks_of(s));  // hopper_ladder.cu
  else if (s.word("pingpong") == "on")
    attend_online_by_turns(to, p, blocks_of(s));  // hopper_ladder.cu
  else
    attend_online_on_hopper(to, p, blocks_of(s));  // hopper_forward.cu
}

void attend_with_fixed_max_as_stated(launcher& to, const problem& p, const switches& s) {
  const run_form form = {.blocks = blocks_of(s), .overlaps_launches = s.is_on("pdl")};
  if (states(s, "retry", "inline"))
    attend_with_inline_retry_on_hopper(
        to, p, s.has("tiles") ? tile_size::wave_fit : tile_size::whole);  // hopper_inline_retry.cu
  else if (s.is_on("cross_tile_overlap"))
    attend_across_tiles_on_hopper(to, p, form);  // hopper_cross_tile_overlap.cu
  else if (is_in_pairs(s))
    attend_in_pairs_on_hopper(to, p, s, form);  // hopper_exp2_bf16x2.cu
  else if (s.has("tiles"))
    attend_with_fixed_max_in_fit_tiles(to, p, form);  // hopper_inline_retry.cu
  else if (s.word("groups") == "by_window")
    attend_with_fixed_max_on_hopper(to, p, pingpong::by_window, form);  // hopper_forward.cu
  else if (s.word("pingpong") == "on")
    attend_with_fixed_max_on_hopper(to, p, pingpong::always, form);
  else
    attend_with_fixed_max_in_steps(to, p, s, form);  // hopper_ladder.cu
}

}  // namespace

void attend_as_stated(launcher& to, const problem& p, const switches& s) {
  problem found = p;
  if (s.word("rows") == "contiguous") found.scope = nullptr;
  const text_view softmax = s.word("softmax");
  if (softmax == "online")
    attend_online_as_stated(to, found, s);
  else if (softmax == "bounded")
    attend_bounded_on_hopper(to, found);  // hopper_forward.cu
  else
    attend_with_fixed_max_as_stated(to, found, s);
}

void hopper(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::attend)) attend_as_stated(to, p, s);
}

}  // namespace ablate::window_attention
