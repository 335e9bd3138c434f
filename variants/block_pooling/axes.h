#pragma once

#include <cstdint>

#include "oracles/block_pooling/checked_problem.h"
#include "variants/image_blocks.h"

// Axes that pooling and its gradients have in common.

namespace ablate::block_pooling {

constexpr word_table<content, 5> value_words = {{{"unit", content::unit},
                                                 {"large", content::large},
                                                 {"offset", content::offset},
                                                 {"nan", content::nan},
                                                 {"minus_zero", content::minus_zero}}};

inline axis pooling_mode_axis() {
  return axis::of_words("mode", {"post", "pre"},
                        "means of normalized and rotated q and k; or means of raw ones, "
                        "normalized and rotated then");
}
inline axis pooling_layout_axis() {
  return axis::of_words("layout", {"split", "packed"},
                        "inputs: q, k, v [heads][tokens][64] each; or [tokens][3][heads][64], as a fused "
                        "projection leaves them");
}
inline axis pooled_values_axis() {
  return axis_of("values", value_words,
                 "inputs: standard normal; times 2^40; plus 64; with NaN in one token of each "
                 "head; with a third of the patch blocks -0");
}

/// The pooling of these axes.
inline checked_problem pooling_at(const axis_values& at, std::uint64_t seed) {
  checked_problem p;
  p.geometry = geometry_at(at);
  p.tokens = layout_at(at, p.geometry).tokens;
  p.heads = at.integer("heads");
  p.block = static_cast<int>(at.integer("block"));
  p.mode = at.word("mode") == "pre" ? mode::pre : mode::post;
  p.is_packed = at.word("layout") == "packed";
  p.seed = seed;
  p.what = meaning_of(value_words, at.word("values"));
  return p;
}

}  // namespace ablate::block_pooling
