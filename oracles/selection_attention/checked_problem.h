#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/mixed.h"
#include "kernels/selection_attention/selection_attention.h"
#include "oracles/common/generated_element.h"
#include "oracles/selection_attention/generated_lists.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::selection_attention {

using window_attention::deviation;
using window_attention::deviations;
using window_attention::sampled_row;
using window_attention::tensor;

/// What the numbers in K look like, beside unit normal ones.
enum class planted {
  nothing,
  ascending,   ///< scores that rise with the key's number, by 30 powers of two for each of 32 parts of them
  descending,  ///< scores that fall by as much
  nan_key,     ///< one element of one key of each head is NaN
  inf_key,     ///< one element of one key of each head is infinite
  nan_value    ///< one element of one value of each head is NaN
};

struct checked_problem : problem {
  /// Inputs and lists never change: the first comparison computes plain attention, of all rows, and keeps it.
  /// Otherwise each does, of every m-th of all heads' rows.
  bool keeps_plain = true;

  // What the inputs are made of.
  generated_lists lists = {};
  std::uint64_t seed = 1;
  float score_spread = 1;  ///< Q and K are unit normal times this
  planted what = planted::nothing;

  const sampled_row* samples = nullptr;  ///< [sample_count]; batch 0
  std::int64_t sample_count = 0;
  deviations* found = nullptr;   ///< [1], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][64], by the comparison
  float* sampled_lse = nullptr;  ///< [sample_count], by the comparison
  void* reference = nullptr;     ///< reference_bytes(problem), zeros before the first comparison

  /// 2^31 products of rows take plain attention a fraction of a second. Odd, so that all places in a tile are
  /// met.
  ABLATE_ON_BOTH std::int64_t compared_stride() const {
    constexpr std::int64_t max_products = std::int64_t{1} << 31;
    if (keeps_plain) return 1;
    const std::int64_t keys = (selected + forced_blocks()) * static_cast<std::int64_t>(block),
                       dense = dense_blocks() * static_cast<std::int64_t>(block),
                       special = tokens - layout().patches();
    // A dense query's keys are counted as those of its column: one more for each query.
    return (heads * tokens * (keys + dense + 2 * special) + max_products - 1) / max_products | 1;
  }
  ABLATE_ON_BOTH std::int64_t compared_rows() const {
    return (heads * tokens + compared_stride() - 1) / compared_stride();
  }
};

/// Element of a token: what is in memory, as fp32.
ABLATE_ON_BOTH inline std::uint16_t generated_bits(const checked_problem& p, tensor of, std::int64_t head,
                                                   std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const std::uint16_t made = window_attention::generated_element(
      p.seed, of, index, of == tensor::q || of == tensor::k ? p.score_spread : 1);
  if (p.what == planted::nothing) return made;
  if (p.what == planted::ascending || p.what == planted::descending) {
    // Products of the first elements, over √64: ln 2 · 30 · 32 from the first key to the last.
    if (element != 0 || of == tensor::v) return made;
    const std::int64_t place = p.what == planted::ascending ? token : p.tokens - 1 - token;
    return window_attention::bf16_of(
        of == tensor::q ? 16.0f : 333.0f * static_cast<float>(place) / static_cast<float>(p.tokens));
  }
  const tensor in = p.what == planted::nan_value ? tensor::v : tensor::k;
  const auto at = static_cast<std::int64_t>(mixed(p.seed + static_cast<std::uint64_t>(head)) %
                                            static_cast<std::uint64_t>(p.tokens));
  if (of != in || token != at || element != static_cast<int>(head % width)) return made;
  return p.what == planted::inf_key ? 0x7f80 : 0x7fc0;
}

/// Element of a block's compressed row; a gate, in (0, 1).
ABLATE_ON_BOTH inline std::uint16_t generated_compressed(const checked_problem& p, std::int64_t head,
                                                         std::int64_t block, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.blocks() + block) * width + element);
  return window_attention::generated_element(p.seed, tensor::out_gradient, index, 1);
}
ABLATE_ON_BOTH inline float generated_gate(const checked_problem& p, std::int64_t token, std::int64_t head,
                                           int which) {
  const auto index = static_cast<std::uint64_t>((token * p.heads + head) * 2 + which);
  return (static_cast<float>(mixed(p.seed * 5 + index) >> 44) + 0.5f) * 0x1p-20f;
}

/// What plain attention gives, in fp32, of the compared rows, and what the variant left there.
struct plain_outputs {
  unsigned* is_there;       ///< not zero: computed
  float* out;               ///< [compared_rows][64]
  float* scale;             ///< [compared_rows]: what errors of a row are divided by (deviation)
  float* lse;               ///< [compared_rows]
  std::uint16_t* seen_out;  ///< bf16 [compared_rows][64]; null where plain attention is kept
  float* seen_lse;          ///< [compared_rows]; null where plain attention is kept
};
plain_outputs cut_reference(const checked_problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const checked_problem&);

}  // namespace ablate::selection_attention
