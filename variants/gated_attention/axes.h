#pragma once

#include "oracles/gated_attention/checked_problem.h"
#include "variants/image_blocks.h"

// What q and k of a layer of global attention hold, whether it is trained or not.

namespace ablate::gated_attention {

constexpr word_table<scores, 6> score_words = {{{"scene", scores::scene},
                                                {"plane", scores::plane},
                                                {"unit", scores::unit},
                                                {"integers", scores::integers},
                                                {"ascending", scores::ascending},
                                                {"equal", scores::equal}}};

inline axis scores_axis() {
  return axis_of(
      "scores", score_words,
      "what q and k hold: images of one scene, whose tokens match where they see one place; of one plane, "
      "whose neighbors look alike in two directions; unit normal numbers; integers from -4 to 4, for ties; "
      "blocks whose scores rise with their number, the worst order there is; one key for all tokens");
}
inline axis mass_axis() {
  return axis::of_integers("mass", 0, 99, 70,
                           "percent of the softmax's sum among means that the key blocks of a query block "
                           "have at least; block_sparse alone")
      .silent_at_default();
}
inline axis kept_axis() {
  return axis::of_integers("kept", 0, 100, 50,
                           "percent of all key blocks that a query block keeps at least; block_sparse alone")
      .silent_at_default();
}

inline scores scores_at(const axis_values& at) { return meaning_of(score_words, at.word("scores")); }

}  // namespace ablate::gated_attention
