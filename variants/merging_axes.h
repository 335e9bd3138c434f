#pragma once

#include "kernels/token_merging/token_merging.h"
#include "variants/image_blocks.h"

// What merging tokens and the layer that merges them have in common: axes.

namespace ablate::token_merging {

constexpr word_table<metric, 2> metric_words = {
    {{"channels", metric::channels}, {"mean_of_heads", metric::mean_of_heads}}};

inline axis metric_axis() {
  return axis_of("metric", metric_words,
                 "what tokens are matched by: rows of x, over all channels; or the mean of each head's 64 of "
                 "them, normalized again")
      .silent_at_default();
}
inline metric metric_at(const axis_values& at) { return meaning_of(metric_words, at.word("metric")); }

}  // namespace ablate::token_merging
