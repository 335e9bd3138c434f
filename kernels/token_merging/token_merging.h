#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/common/block_layout.h"
#include "kernels/common/mixed.h"
#include "kernels/token_merging/partition.h"
#include "kernels/window_attention/made_element.h"

namespace ablate::token_merging {

/// Token merging as FastVGGT does it before and behind attention, without training
/// (docs/operations/token_merging.md). One partition of tokens (partition.h) serves all heads:
///
/// match: each source gets the destination with the greatest product of their rows of x, which are
///   normalized, over all channels; of equal ones the first. Or (metric::mean_of_heads) the product of
///   shorter rows, which takes as many times fewer operations as there are heads.
/// merge: of q, k and v, a destination's row becomes the mean of its own and of those of its unprotected
///   sources. What attends are the destinations and, behind them, the protected tokens as they were.
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

/// What x holds; q, k, v and what attention gives are unit normal.
enum class scores {
  scene,     ///< tokens of several images show one place: they match
  unit,      ///< unit normal
  integers,  ///< whole numbers from −4 to 4, whose products fp32 holds exactly: matches have ties
  equal      ///< likewise, all tokens the same
};

/// What judge_with_fp64 finds. Judged are sources, merged rows or tokens.
struct findings {
  unsigned long long judged, wrong;
  unsigned long long first_wrong;  ///< its number
  /// Tokens whose row of metric::mean_of_heads is another; match.
  unsigned long long wrong_metric_rows = 0;
};

struct problem {
  token_partition layout;
  std::int64_t heads = 1;
  token_merging::step step = step::match;
  token_merging::metric metric = metric::channels;           ///< match
  std::int64_t sources = 0, destinations = 0, appended = 0;  ///< tokens in these lists
  scores what = scores::scene;

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

  const std::int32_t* samples = nullptr;  ///< [sample_count]: what is judged, by its number
  std::int64_t sample_count = 0;
  findings* found = nullptr;             ///< [1], by the comparison
  std::int32_t* sampled_best = nullptr;  ///< [sample_count], by the comparison; match
  float* sampled_similarity = nullptr;   ///< likewise
  std::uint16_t* sampled_rows =
      nullptr;  ///< [sample_count][tensors][heads][64], by the comparison; merge, unmerge

  ABLATE_ON_BOTH std::int64_t tokens() const { return layout.tokens(); }
  ABLATE_ON_BOTH std::int64_t channels() const { return heads * width; }
  /// Of the rows that are multiplied with each other.
  ABLATE_ON_BOTH std::int64_t match_channels() const {
    return metric == metric::channels ? channels() : width;
  }
  ABLATE_ON_BOTH std::int64_t attending() const { return destinations + appended; }
  /// What is judged: every m-th source of long sequences, m odd; all merged rows; all tokens.
  ABLATE_ON_BOTH std::int64_t judged_stride() const {
    constexpr std::int64_t most_products = std::int64_t{1} << 38;
    if (step != step::match) return 1;
    return (sources * destinations * match_channels() + most_products - 1) / most_products | 1;
  }
  ABLATE_ON_BOTH std::int64_t judgeable() const {
    return step == step::match ? sources : step == step::merge ? attending() : tokens();
  }
  ABLATE_ON_BOTH std::int64_t judged() const { return (judgeable() + judged_stride() - 1) / judged_stride(); }
  /// Whether fp32 holds products exactly. What is normalized is rounded.
  ABLATE_ON_BOTH bool is_exact() const {
    return metric == metric::channels && (what == scores::integers || what == scores::equal);
  }
};

/// Element of a token's row of x: what is in memory. Whole numbers but for one multiplication, so that host
/// and device agree in every bit.
ABLATE_ON_BOTH inline std::uint16_t made_x(const problem& p, std::int64_t token, std::int64_t channel) {
  using window_attention::bf16_of;
  using window_attention::made_element;
  using window_attention::tensor;
  const std::uint64_t seed = p.layout.seed;
  const auto index = static_cast<std::uint64_t>(token * p.channels() + channel);
  switch (p.what) {
    case scores::scene: {
      constexpr std::int64_t new_places = 40;
      const std::int64_t of_image = p.layout.tokens_of_image();
      const std::int64_t place = token / of_image * new_places + token % of_image;
      const auto part = [](std::uint64_t x, int shift) {
        return static_cast<std::int32_t>(x >> shift & 0xffff);
      };
      const auto drawn = [&](std::uint64_t what, std::uint64_t at) {
        const std::uint64_t x = mixed((seed * 2 + what) * 0x9e3779b97f4a7c15ull + at);
        return part(x, 0) + part(x, 16) + part(x, 32) + part(x, 48) - 2 * 0xffff;
      };
      constexpr float unit = 1 / (5 * 37837.2f);
      const std::int32_t look = drawn(0, static_cast<std::uint64_t>(place * p.channels() + channel));
      return bf16_of(static_cast<float>(4 * look + 3 * drawn(1, index)) * unit);
    }
    case scores::integers:
    case scores::equal: {
      const std::uint64_t drawn =
          mixed(seed * 7 + (p.what == scores::equal ? static_cast<std::uint64_t>(channel) : index));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    default:
      return made_element(seed, tensor::q, index, 1);
  }
}

/// Element of a row of metric::mean_of_heads: of a channel's sum over the heads, in fp32 and in their order,
/// and of the sum of the squares of all 64 such sums.
ABLATE_ON_BOTH inline std::uint16_t metric_element(float sum, double squared_length) {
  const double element = squared_length > 0 ? static_cast<double>(sum) / std::sqrt(squared_length) : 0;
  return window_attention::bf16_of(static_cast<float>(element));
}

/// Element of q, k or v, or (`which` = 3) of what attention leaves of a merged row.
ABLATE_ON_BOTH inline std::uint16_t made_row_element(const problem& p, int which, std::int64_t head,
                                                     std::int64_t row, int element) {
  const std::int64_t rows = which == tensors ? p.attending() : p.tokens();
  const auto index = static_cast<std::uint64_t>(((which * p.heads + head) * rows + row) * width + element);
  return window_attention::made_element(p.layout.seed, window_attention::tensor::v, index, 1);
}

/// A source's destination where it is given: early ones more often.
ABLATE_ON_BOTH inline std::int32_t made_best(const problem& p, std::int64_t source) {
  const std::uint64_t x = mixed(p.layout.seed * 13 + static_cast<std::uint64_t>(source)) >> 32;
  return static_cast<std::int32_t>((x * x >> 32) * static_cast<std::uint64_t>(p.destinations) >> 32);
}

/// A product of two rows of x in fp64, and Σ|a·b|.
struct exact_product {
  double value = 0, bound = 0;
  ABLATE_ON_BOTH void add(double a, double b) {
    value += a * b;
    bound += a * b < 0 ? -(a * b) : a * b;
  }
};

/// Roundings of a product's sum in fp32, as a part of its Σ|a·b|.
constexpr double accepted_product_error = 256 * 0x1p-23;

/// Whether a match is right: the product with it beside the greatest, and what was written of it.
ABLATE_ON_BOTH inline bool is_right_match(const exact_product& matched, const exact_product& greatest,
                                          bool is_first_greatest, bool is_exact, double similarity) {
  const double bound = matched.bound > greatest.bound ? matched.bound : greatest.bound;
  const double doubt = is_exact ? 0 : accepted_product_error * bound, off = similarity - matched.value;
  // Equal rows have equal products in any arithmetic.
  const bool is_tie = matched.value == greatest.value && matched.bound == greatest.bound;
  return matched.value >= greatest.value - doubt && (is_first_greatest || !(is_exact || is_tie)) &&
         off <= doubt && -off <= doubt;
}

/// Whether an element of a merged row is right: a mean and that of the absolute values, both exact.
ABLATE_ON_BOTH inline bool is_right_mean(double seen, double mean, double mean_of_absolutes) {
  const double off = seen - mean, size = mean < 0 ? -mean : mean;
  const double accepted = 0x1p-8 * size + 0x1p-18 * mean_of_absolutes;
  return off <= accepted && -off <= accepted;
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

/// The oracle in fp64, from inputs that it makes itself.
struct exact_match {
  std::vector<exact_product> products;  ///< [destinations]
  std::int32_t best;
};
std::vector<exact_match> reference_matches(const problem&, const partition_lists&,
                                           const std::vector<std::int32_t>& sources);
/// [heads][64] of a merged row.
struct exact_mean {
  std::vector<double> mean, mean_of_absolutes;
};
exact_mean reference_merged(const problem&, const partition_lists&, int which, std::int64_t row);
/// The merged row that a token's output is a copy of.
std::int64_t reference_row_of(const problem&, const partition_lists&, std::int64_t token);

}  // namespace ablate::token_merging
