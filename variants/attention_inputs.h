#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/registry/axis.h"
#include "oracles/window_attention/checked_problem.h"

// What the axes of attention inside windows determine: where windows are and which numbers they contain.

namespace ablate::window_attention {

/// The windows' buckets (docs/operations/window_attention.md, "What is computed").
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

inline row_order rows_of(const axis_values& at) {
  const std::string& word = at.word("rows");
  return word == "buckets"      ? row_order::buckets
         : word == "contiguous" ? row_order::contiguous
                                : row_order::scattered;
}

/// Words of the axis `scores` that plant special values in the inputs.
struct planted_word {
  const char* word;
  planted what;
  tensor in = tensor::v;
  std::int64_t overflow_period = 1;
};
constexpr planted_word planted_words[] = {{"overflow_0.1pct", planted::overflow, tensor::q, 1000},
                                          {"overflow_10pct", planted::overflow, tensor::q, 10},
                                          {"overflow_all", planted::overflow, tensor::q, 1},
                                          {"descending", planted::descending, tensor::k},
                                          {"nan_key", planted::nan, tensor::k},
                                          {"inf_key", planted::infinity, tensor::k},
                                          {"nan_query", planted::nan, tensor::q},
                                          {"inf_query", planted::infinity, tensor::q},
                                          {"nan_value", planted::nan, tensor::v},
                                          {"inf_value", planted::infinity, tensor::v},
                                          {"huge_values", planted::huge, tensor::v}};

inline const planted_word* planted_at(const axis_values& at) {
  const auto* const found = std::ranges::find(planted_words, at.word("scores"), &planted_word::word);
  return found == std::end(planted_words) ? nullptr : found;
}

/// The numbers in Q, K, V and dO for these axes.
inline generated_inputs inputs_at(const axis_values& at, std::uint64_t seed) {
  generated_inputs made;
  made.seed = seed;
  const std::string& scores = at.word("scores");
  // Scores of ±100 and more: a row's softmax is nearly one-hot.
  made.score_spread = scores == "zero" ? 0.0f : scores == "large" ? 5.0f : 1.0f;
  if (const planted_word* const word = planted_at(at)) {
    made.what = word->what;
    made.planted_in = word->in;
    made.overflow_period = word->overflow_period;
  }
  made.batches = at.integer("batches");
  made.windows = at.integer("tokens") / at.integer("window");
  made.window = at.integer("window");
  made.heads = at.integer("heads");
  made.width = static_cast<int>(at.integer("width"));
  return made;
}

/// Sizes and inputs for these axes.
inline checked_problem windows_at(const axis_values& at, std::uint64_t seed) {
  checked_problem p;
  p.batches = at.integer("batches");
  p.tokens = at.integer("tokens");
  p.heads = at.integer("heads");
  p.width = static_cast<int>(at.integer("width"));
  p.window = at.integer("window");
  p.bucket = at.integer("bucket");
  p.rows = rows_of(at);
  p.inputs = inputs_at(at, seed);
  return p;
}

}  // namespace ablate::window_attention
