#pragma once

#include <optional>
#include <string>

#include "harness/inputs/input_library.h"
#include "oracles/global_attention/checked_layer.h"
#include "variants/global_attention/samples.h"
#include "variants/image_blocks.h"
#include "variants/phases.h"

// What definitions of layers of global attention share, whether they are trained or not.

namespace ablate::global_attention {

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
/// `how`: what is chosen ahead of attention, or made.
inline axis lists_axis(const std::string& how) {
  return axis::of_words("lists", {"chosen", "given"},
                        how +
                            " in the timed region; or ahead of it, which shows what a choice that costs "
                            "nothing would leave");
}
inline axis region_axis(const std::string& ahead) {
  return axis::of_words("region", {"layer", "ahead"},
                        "all of it; or what goes ahead of attention alone: " + ahead)
      .silent_at_default();
}

/// Why nothing would be timed, if it would not.
inline std::optional<std::string> refuses_region(const axis_values& at) {
  if (at.word("region") == "layer" || at.word("lists") == "chosen") return std::nullopt;
  return "region=ahead: what is given goes ahead of any region";
}

inline scores scores_at(const axis_values& at) { return meaning_of(score_words, at.word("scores")); }

/// Tokens and heads.
inline void put_layer(const axis_values& at, layer& p) {
  p.geometry = geometry_at(at);
  p.tokens = tokens_at(at, p.geometry);
  p.heads = at.integer("heads");
}
inline void put_preparation(const axis_values& at, prepared_layer& p) {
  p.lists_are_given = at.word("lists") == "given";
  p.stops_ahead = at.word("region") == "ahead";
}
inline void put_checks(const axis_values& at, const input_library& inputs, checks& c) {
  c.seed = inputs.seed();
  c.what = scores_at(at);
  c.sample_count = sampled_tokens;
}

/// What is given is chosen ahead of the region.
template <class Checked>
std::optional<Checked> ahead_of(const Checked& p) {
  if (!p.lists_are_given) return std::nullopt;
  return in_phase(p, phase::choose);
}

}  // namespace ablate::global_attention
