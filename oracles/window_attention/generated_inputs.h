#pragma once

#include <cstdint>

#include "oracles/common/generated_element.h"

namespace ablate::window_attention {

/// Special values planted among those numbers.
enum class planted {
  nothing,
  /// In each head of each window one late key is all fours, and the queries of some tiles have 16 added to
  /// their elements: their scores with that key exceed all others by far more than 120 powers of two,
  /// whatever the width, so that a softmax that subtracts only the maximum over the first keys overflows.
  overflow,
  /// Scores fall from the first key of each window to its last, by hundreds: a maximum that is not that of
  /// all keys so far leaves earlier ones out of range.
  descending,
  nan,       ///< in one window, one element of each head
  infinity,  ///< as above
  /// In one window, one value of each head is 1e38 and its key is multiplied by four: attention is finite,
  /// but its sum of values overflows unless the row's maximum is subtracted, while the sum of probabilities
  /// does not.
  huge
};

/// Queries that overflow together: whole tiles of 128 and of 256 queries, the units that kernels redo.
constexpr std::int64_t overflowing_tile = 256;

struct token_place {
  std::int64_t batch, window, token;  ///< of the window
  std::int64_t head;
};

/// The numbers in Q, K, V and dO.
struct generated_inputs {
  std::uint64_t seed = 1;
  float score_spread = 1;  ///< q and k are standard normal times this; 0: zeros
  planted what = planted::nothing;
  tensor planted_in = tensor::v;     ///< the tensor that holds the NaN or infinity
  std::int64_t overflow_period = 1;  ///< one in this many query tiles overflows
  std::int64_t batches = 1, windows = 1, window = 0, heads = 1;
  int width = 0;

  /// `index`: of the element in its tensor [batches][tokens][heads][width].
  ABLATE_ON_BOTH std::uint16_t element(tensor of, const token_place& at, std::uint64_t index) const {
    const bool makes_scores = of == tensor::q || of == tensor::k;
    const std::uint16_t made = generated_element(seed, of, index, makes_scores ? score_spread : 1);
    switch (what) {
      case planted::nothing:
        return made;
      case planted::overflow:
        if (of == tensor::q && overflows(at)) return bf16_of(float_of_bf16(made) + 16);
        return of == tensor::k && is_planted_token(at) ? bf16_of(4) : made;
      case planted::descending:
        if (!makes_scores || index % static_cast<std::uint64_t>(width) != 0) return made;
        return bf16_of(of == tensor::q
                           ? 16.0f
                           : 333.0f * static_cast<float>(window - 1 - at.token) / static_cast<float>(window));
      default:
        break;
    }
    if (!is_planted_window(at) || !is_planted_token(at)) return made;
    if (what == planted::huge && of == tensor::k) return bf16_of(4 * float_of_bf16(made));
    if (of != planted_in || index % static_cast<std::uint64_t>(width) != planted_element(at.head))
      return made;
    constexpr std::uint16_t nan_bits = 0x7fc0, infinity_bits = 0x7f80;
    return what == planted::huge ? bf16_of(1e38f) : what == planted::nan ? nan_bits : infinity_bits;
  }

  /// Whether this query's tile overflows (planted::overflow).
  ABLATE_ON_BOTH bool overflows(const token_place& at) const {
    const std::int64_t in_window = (window + overflowing_tile - 1) / overflowing_tile;
    const std::int64_t tiles = batches * windows * heads * in_window;
    const std::int64_t tile =
        ((at.batch * windows + at.window) * heads + at.head) * in_window + at.token / overflowing_tile;
    const std::int64_t turn = overflow_period < tiles ? overflow_period : tiles;
    return tile % overflow_period == drawn(turn, 1);
  }
  /// The one window, of batches · windows, that holds a planted value, where not all of them do.
  ABLATE_ON_BOTH std::int64_t planted_window() const { return drawn(batches * windows, 2); }
  /// The planted token of each window: in the second half, past the first keys.
  ABLATE_ON_BOTH std::int64_t planted_token(std::int64_t batch, std::int64_t in_window,
                                            std::int64_t head) const {
    const std::int64_t half = window / 2;
    return half + drawn(half, 3 + static_cast<std::uint64_t>((batch * windows + in_window) * heads + head));
  }

 private:
  /// A number below `bound`, drawn separately for each `which`.
  ABLATE_ON_BOTH std::int64_t drawn(std::int64_t bound, std::uint64_t which) const {
    return static_cast<std::int64_t>(mixed(seed * 0x9e3779b97f4a7c15ull + ~which) %
                                     static_cast<std::uint64_t>(bound));
  }
  ABLATE_ON_BOTH bool is_planted_window(const token_place& at) const {
    return at.batch * windows + at.window == planted_window();
  }
  ABLATE_ON_BOTH bool is_planted_token(const token_place& at) const {
    return at.token == planted_token(at.batch, at.window, at.head);
  }
  ABLATE_ON_BOTH std::uint64_t planted_element(std::int64_t head) const {
    return static_cast<std::uint64_t>(drawn(width, 0) + head) % static_cast<std::uint64_t>(width);
  }
};

}  // namespace ablate::window_attention
