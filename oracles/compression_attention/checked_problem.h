#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/mixed.h"
#include "kernels/compression_attention/compression_attention.h"
#include "oracles/common/generated_element.h"
#include "oracles/window_attention/deviation.h"

namespace ablate::compression_attention {

using window_attention::deviation;
using window_attention::deviations;
using window_attention::sampled_row;
using window_attention::tensor;

/// What the scores look like.
enum class scores {
  correspondences,  ///< images see overlapping stretches of one scene; rows that see one place match
  unit,             ///< q and k unit normal
  integers,         ///< whole numbers from −4 to 4, whose scores fp32 holds exactly, so lists have ties
  ascending,        ///< every key beats all before it, the worst order for a running top-k
  descending,       ///< no key beats the first `selected`
  equal,            ///< one score for all
  large,            ///< scores of ±100 after scaling
  nan_key           ///< one element of one key of each head is NaN
};

/// What a list can have wrong.
enum class list_fault {
  none,
  no_row,     ///< an entry is no key row, or the list ends early
  twice,      ///< a key row is in it twice
  worse,      ///< a key row that is not in it scores more than one that is
  misordered  ///< its entries come in another order than asked for
};

/// Compared are scores in fp32 by another order of additions than the variant's: two scores count as equal if
/// they are within 64 · 2^-23 · Σ|q·k|, unless they are whole numbers.
struct findings {
  deviations of;
  unsigned long long lists;        ///< compared
  unsigned long long wrong_lists;  ///< of these
  /// The first wrong list: its number among all heads' rows, shifted by 3, and its list_fault.
  unsigned long long first_wrong;
};

struct checked_problem : problem {
  int rows_of_image = 63;  ///< what `correspondences` is made of
  std::uint64_t seed = 1;
  scores what = scores::correspondences;

  const sampled_row* samples = nullptr;  ///< [sample_count]; batch 0, all of one head
  std::int64_t sample_count = 0;
  findings* found = nullptr;              ///< [1], by the comparison
  float* sampled_out = nullptr;           ///< [sample_count][64], by the comparison
  float* sampled_lse = nullptr;           ///< [sample_count], by the comparison
  std::int32_t* sampled_table = nullptr;  ///< [sample_count][selected], by the comparison
  void* reference = nullptr;              ///< reference_bytes(problem), zeros before the first comparison

  /// The comparison needs every row of small problems; of larger ones every m-th of all heads' rows, m odd so
  /// that all places in a tile are met. 2^31 scores take plain attention about half a second.
  ABLATE_ON_BOTH std::int64_t compared_stride() const {
    constexpr std::int64_t max_scores = std::int64_t{1} << 31;
    const std::int64_t stride = (heads * attending_rows() * rows + max_scores - 1) / max_scores;
    return stride | 1;
  }
  ABLATE_ON_BOTH std::int64_t compared_rows() const {
    return (heads * attending_rows() + compared_stride() - 1) / compared_stride();
  }
};

/// Whether every score is exact in fp32, in whatever order products are added.
ABLATE_ON_BOTH inline bool are_exact(scores what) {
  return what == scores::integers || what == scores::ascending || what == scores::descending ||
         what == scores::equal;
}

/// Element of a row: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_bits(const checked_problem& p, tensor of, std::int64_t head,
                                                   std::int64_t row, int element) {
  using window_attention::bf16_of;
  using window_attention::float_of_bf16;
  using window_attention::generated_element;
  const auto index = static_cast<std::uint64_t>((head * p.rows + row) * width + element);
  const std::uint16_t made = generated_element(p.seed, of, index, p.what == scores::large ? 5.0f : 1.0f);
  if (of == tensor::v) return made;
  switch (p.what) {
    case scores::correspondences: {
      // 0.8 of what the place in the scene looks like and 0.6 of the row's own. An image sees rows_of_image
      // places, a seventh of them new; neighboring places look alike (a moving average of four).
      const std::int64_t place = row / p.rows_of_image * (p.rows_of_image / 7) + row % p.rows_of_image;
      float look = 0;
      for (std::int64_t i = place; i < place + 4; ++i)
        look += float_of_bf16(generated_element(
            ~p.seed, tensor::q, static_cast<std::uint64_t>((head << 32 | i) * width + element), 0.5f));
      return bf16_of(0.8f * look + 0.6f * float_of_bf16(made));
    }
    case scores::integers: {
      const std::uint64_t drawn = mixed(p.seed * 7 + index * 2 + (of == tensor::q));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    case scores::ascending:
    case scores::descending: {
      // The score is the key's number over 64: its three digits of 7 bits times what each is worth.
      if (element > 2) return 0;
      const int shift = 7 * (2 - element);
      if (of == tensor::q) return bf16_of(static_cast<float>(1 << shift) / 64);
      const std::int64_t number = p.what == scores::ascending ? row : p.rows - 1 - row;
      return bf16_of(static_cast<float>(number >> shift & 127));
    }
    case scores::equal:
      return of == tensor::q
                 ? made
                 : generated_element(p.seed, of, static_cast<std::uint64_t>(head * width + element), 1);
    case scores::nan_key: {
      const auto at = static_cast<std::int64_t>(mixed(p.seed + static_cast<std::uint64_t>(head)) %
                                                static_cast<std::uint64_t>(p.rows));
      return of == tensor::k && row == at && element == static_cast<int>(head % width) ? 0x7fc0 : made;
    }
    default:
      return made;
  }
}

/// What plain attention gives, in fp32, of the compared rows, and what the variant left there.
struct plain_outputs {
  unsigned* is_there;       ///< not zero: computed
  float* out;               ///< [compared_rows][64]
  float* scale;             ///< [compared_rows]: what errors of a row are divided by (deviation)
  float* lse;               ///< [compared_rows]
  std::uint16_t* seen_out;  ///< bf16 [compared_rows][64]
  float* seen_lse;          ///< [compared_rows]
};
plain_outputs cut_reference(const checked_problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const checked_problem&);

}  // namespace ablate::compression_attention
