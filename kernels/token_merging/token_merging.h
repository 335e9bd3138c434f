#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/common/bf16.h"
#include "kernels/token_merging/partition.h"

namespace ablate::token_merging {

/// Token merging as FastVGGT does it before and after attention, without training
/// (docs/operations/token_merging.md). One partition of tokens (partition.h) serves all heads:
///
/// match: each source gets the destination with the greatest product of their rows of x, which are
///   normalized, over all channels; of equal ones the first. Or (metric::mean_of_heads) the product of
///   shorter rows, which takes as many times fewer operations as there are heads.
/// merge: of q, k and v, a destination's row becomes the mean of its own and of those of its unprotected
///   sources. What attends are the destinations and, after them, the protected tokens as they were.
/// unmerge: a source's output is that of its destination, a protected token's its own.
///
/// Attention between merge and unmerge is dense attention of fewer rows, and an operation of its own. The
/// published budget, 90 % of all tokens, is above the number of unprotected sources: all of them merge.
///
/// Products and means are sums in fp32. Inputs have to be finite.

constexpr int width = 64;   ///< elements of a head; x has as many channels as heads have elements
constexpr int tensors = 3;  ///< q, k and v

enum class step { match, merge, unmerge };

/// What tokens are matched by.
enum class metric {
  channels,      ///< rows of x
  mean_of_heads  ///< the mean of the 64 channels of each head in such a row, normalized again, in bf16
};

struct problem {
  token_partition layout;
  std::int64_t heads = 1;
  token_merging::step step = step::match;
  token_merging::metric metric = metric::channels;           ///< match
  std::int64_t sources = 0, destinations = 0, appended = 0;  ///< tokens in these lists

  const std::int32_t *source_tokens = nullptr, *destination_tokens = nullptr, *appended_tokens = nullptr;
  /// [tokens]: of a token that is not merged, its row among those that attend; of another, −1 − its number
  /// among the sources.
  const std::int32_t* places = nullptr;
  const std::uint16_t* x = nullptr;      ///< bf16 [tokens][channels()]; match
  std::uint16_t* metric_rows = nullptr;  ///< bf16 [tokens][64]; match by mean_of_heads
  /// [sources]: a destination's number. Written by match, read by the others.
  std::int32_t* best = nullptr;
  float* similarity = nullptr;              ///< [sources]; match
  const std::uint16_t* in[tensors] = {};    ///< bf16 [heads][tokens][64]; merge
  std::uint16_t* merged[tensors] = {};      ///< bf16 [heads][attending()][64]; merge
  const std::uint16_t* attended = nullptr;  ///< bf16 [heads][attending()][64]; unmerge
  std::uint16_t* out = nullptr;             ///< bf16 [heads][tokens][64]; unmerge
  void* scratch = nullptr;                  ///< scratch_bytes(problem); match, merge

  ABLATE_ON_BOTH std::int64_t tokens() const { return layout.tokens(); }
  ABLATE_ON_BOTH std::int64_t channels() const { return heads * width; }
  /// Of the rows that are multiplied with each other.
  ABLATE_ON_BOTH std::int64_t match_channels() const {
    return metric == metric::channels ? channels() : width;
  }
  ABLATE_ON_BOTH std::int64_t attending() const { return destinations + appended; }
};

/// Element of a row of metric::mean_of_heads: of a channel's sum over the heads, in fp32 and in their order,
/// and of the sum of the squares of all 64 such sums.
ABLATE_ON_BOTH inline std::uint16_t metric_element(float sum, double squared_length) {
  const double element = squared_length > 0 ? static_cast<double>(sum) / std::sqrt(squared_length) : 0;
  return bf16_of(static_cast<float>(element));
}

/// Memory of merge: sums, or which sources a destination has.
struct merge_scratch {
  float* sums;           ///< [tensors][heads][destinations][64]
  std::int32_t* counts;  ///< [destinations]
  std::int32_t* first;   ///< [destinations]: a source's number, or −1
  std::int32_t* next;    ///< [sources]
};
merge_scratch cut_scratch(const problem&, std::size_t* bytes = nullptr);

/// Memory of match, where rows are laid side by side first.
struct match_scratch {
  std::uint16_t* sources;       ///< bf16 [sources][match_channels()]
  std::uint16_t* destinations;  ///< bf16 [destinations][match_channels()]
  unsigned long long* keys;     ///< [sources]: the match so far, as a number
};
match_scratch cut_match_scratch(const problem&, std::size_t* bytes = nullptr);

std::size_t scratch_bytes(const problem&);

}  // namespace ablate::token_merging
