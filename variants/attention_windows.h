#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/registry/axis.h"

namespace ablate::window_attention {

/// What the operations on attention inside windows share: axes `tokens`, `window`, `bucket`, `heads`,
/// `width`, `batches`, `order`, `offset`, `stride` and `scores`.

/// The windows' buckets (specification: flash3d §2.1).
inline std::vector<std::uint32_t> scope_of(const axis_values& at, std::uint64_t seed) {
  const long buckets = at.integer("tokens") / at.integer("bucket");
  const long in_window = at.integer("window") / at.integer("bucket");
  const long offset = at.integer("offset"), stride = at.integer("stride");
  std::vector<std::uint32_t> scope(static_cast<std::size_t>(buckets));
  for (long i = 0; i < buckets; ++i) {
    // Window i / in_window, place i % in_window; with a stride, `stride` windows share a chunk.
    const long window = i / in_window, place = i % in_window;
    const long chunk = window / stride * stride * in_window, phase = window % stride;
    scope[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>((offset + chunk + phase + stride * place) % buckets);
  }
  if (at.word("order") == "shuffled") {
    random_stream random(seed, "order of buckets");
    for (std::size_t i = scope.size(); i > 1; --i)
      std::swap(scope[i - 1], scope[random.below(static_cast<std::uint32_t>(i))]);
  }
  return scope;
}

/// Why these axis values make no case.
inline std::optional<std::string> refuses(const axis_values& at) {
  const long tokens = at.integer("tokens"), window = at.integer("window"), bucket = at.integer("bucket");
  if (bucket % 128 != 0) return fmt::format("bucket={}: expected a multiple of 128", bucket);
  if (window % bucket != 0) return fmt::format("window={} is not a multiple of bucket={}", window, bucket);
  if (tokens % (window * at.integer("stride")) != 0)
    return fmt::format("tokens={} are not whole windows of {}, {} of them interleaved", tokens, window,
                       at.integer("stride"));
  if (at.integer("batches") * tokens * at.integer("heads") * at.integer("width") > long{1} << 31)
    return "more than 2^31 elements";
  return std::nullopt;
}

/// Standard deviation of Q and K.
inline float spread_of(const std::string& scores) {
  if (scores == "zero") return 0;
  // Scores of ±100 and more: the softmax of a row is all but one of its keys.
  return scores == "large" ? 5.0f : 1.0f;
}

}  // namespace ablate::window_attention
