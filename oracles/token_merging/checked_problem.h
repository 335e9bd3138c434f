#pragma once

#include <cstdint>

#include "kernels/token_merging/token_merging.h"

namespace ablate::token_merging {

/// What x holds; q, k, v and what attention gives are unit normal.
enum class scores {
  scene,     ///< tokens of several images show one place: they match
  unit,      ///< unit normal
  integers,  ///< whole numbers from −4 to 4, whose products fp32 holds exactly: matches have ties
  equal      ///< as above, all tokens the same
};

/// What judge_with_fp64 finds. Judged are sources, merged rows or tokens.
struct findings {
  unsigned long long judged, wrong;
  unsigned long long first_wrong;  ///< its number
  /// Tokens whose row of metric::mean_of_heads is another; match.
  unsigned long long wrong_metric_rows = 0;
};

/// A step of merging with what its comparison needs besides.
struct checked_problem : problem {
  scores what = scores::scene;

  const std::int32_t* samples = nullptr;  ///< [sample_count]: what is judged, by its number
  std::int64_t sample_count = 0;
  findings* found = nullptr;             ///< [1], by the comparison
  std::int32_t* sampled_best = nullptr;  ///< [sample_count], by the comparison; match
  float* sampled_similarity = nullptr;   ///< as above
  std::uint16_t* sampled_rows =
      nullptr;  ///< [sample_count][tensors][heads][64], by the comparison; merge, unmerge

  /// What is judged: every m-th source of long sequences, m odd; all merged rows; all tokens.
  ABLATE_ON_BOTH std::int64_t judged_stride() const {
    constexpr std::int64_t max_products = std::int64_t{1} << 38;
    if (step != step::match) return 1;
    return (sources * destinations * match_channels() + max_products - 1) / max_products | 1;
  }
  ABLATE_ON_BOTH std::int64_t judgeable() const {
    return step == step::match ? sources : step == step::merge ? attending() : tokens();
  }
  ABLATE_ON_BOTH std::int64_t judged() const { return (judgeable() + judged_stride() - 1) / judged_stride(); }
  /// Whether products are exact in fp32. What is normalized is rounded.
  ABLATE_ON_BOTH bool is_exact() const {
    return metric == metric::channels && (what == scores::integers || what == scores::equal);
  }
};

}  // namespace ablate::token_merging
