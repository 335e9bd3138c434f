#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/block_sparse_selection/row_facts.h"
#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"
#include "kernels/window_attention/made_element.h"

namespace ablate::window_attention {
struct sampled_row;  ///< that a check reads itself: oracles/window_attention/deviation.h
}

namespace ablate::block_sparse_selection {

using window_attention::sampled_row;
using window_attention::tensor;

/// The choice of Block-Sparse attention, without training (docs/operations/block_sparse_selection.md; "Faster
/// VGGT with Block-Sparse Global Attention", arXiv 2509.07120): which key blocks each query block attends to.
/// Queries are pooled by blocks of 128 tokens, keys by blocks of 64, and per head, with S = q̄·k̄ᵀ and P =
/// softmax of the rows of S / √64, a row keeps its key blocks in descending order of S, equal ones by
/// ascending number, and as many as the greatest of three asks for:
/// - the fewest whose P add up to `mass_percent` of all;
/// - `kept_percent` of all key blocks, rounded down;
/// - one.
///
/// The result is a bitmap, a bit for each key block, and how many a row keeps: rows are of any length, and a
/// kernel that attends to them walks the bits in order. Bits behind the last key block are 0.
///
/// Scores are fp32 sums in the order of the elements, and P are whole multiples of 2^-40 of the greatest, so
/// that sums of them are exact: all variants keep the same. Inputs have to be finite.

constexpr int width = 64;  ///< elements of a head
constexpr int query_block = 128, key_block = 64;
/// Key blocks of a row that fit shared memory as fp32 twice, on each chip: 1024 images and a few.
constexpr std::int64_t most_keys = 18432;

/// What the scores look like.
enum class scores {
  scene,       ///< images see overlapping stretches of one scene; blocks that see one place match
  unit,        ///< q̄ and k̄ unit normal
  integers,    ///< whole numbers from −4 to 4, whose scores fp32 holds exactly, so that rows have ties
  ascending,   ///< every key block beats all before it
  equal,       ///< one score for all key blocks
  descending,  ///< every key block loses to all before it
  levels       ///< three scores in all, so that the mass ends among many key blocks that tie
};

/// Of all rows, by the comparison.
struct findings {
  unsigned long long rows;         ///< judged
  unsigned long long wrong_rows;   ///< of these
  unsigned long long first_wrong;  ///< the first one's number among all heads' rows, shifted by 3; its fault
  unsigned long long summed_rows;  ///< whose sums follow
  unsigned long long kept_blocks;
  unsigned long long kept_mass;  ///< in units of 2^-32 of a row's
};

struct problem {
  std::int64_t queries = 0, keys = 0;  ///< blocks of a head; keys at most most_keys
  std::int64_t heads = 1;
  int mass_percent = 70, kept_percent = 50;  ///< mass: at most 99

  std::uint64_t seed = 1;
  scores what = scores::scene;

  const std::uint16_t *q = nullptr, *k = nullptr;  ///< bf16 [heads][queries][64], [heads][keys][64]
  std::uint32_t* kept = nullptr;                   ///< [heads][queries][words()]: bit j % 32 of word j / 32
  std::int32_t* counts = nullptr;                  ///< [heads][queries]
  void* scratch = nullptr;                         ///< scratch_bytes(problem): scores, where they are sorted

  const sampled_row* samples = nullptr;  ///< [sample_count]: query block and head
  std::int64_t sample_count = 0;
  findings* found = nullptr;               ///< [1], by the comparison
  std::uint32_t* sampled_kept = nullptr;   ///< [sample_count][words()], by the comparison
  std::int32_t* sampled_counts = nullptr;  ///< [sample_count], by the comparison

  ABLATE_ON_BOTH std::int64_t rows() const { return heads * queries; }
  ABLATE_ON_BOTH std::int64_t pairs() const { return rows() * keys; }
  ABLATE_ON_BOTH std::int64_t words() const { return (keys + 31) / 32; }
  /// Key blocks that a row keeps whatever their mass.
  ABLATE_ON_BOTH int least_kept() const {
    const std::int64_t by_percent = keys * kept_percent / 100;
    return by_percent > 1 ? static_cast<int>(by_percent) : 1;
  }
  ABLATE_ON_BOTH demand asked() const {
    return {static_cast<int>(keys), least_kept(), mass_percent / 100.0,
            what != scores::scene && what != scores::unit};
  }
};

/// A near-Gaussian whole number with standard deviation 37837: the sum of four uniform ones of 16 bits.
ABLATE_ON_BOTH inline std::int32_t made_integer(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t x = mixed(seed * 0x9e3779b97f4a7c15ull + index);
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  return part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
}

/// scores::scene: 0.8 of what the block's place looks like, a moving average of four, and 0.6 of its own. An
/// image has 1008 tokens, a third of whose places are new. Whole numbers but for one multiplication, so that
/// host and device agree in every bit.
ABLATE_ON_BOTH inline std::uint16_t scene_element(std::uint64_t seed, tensor of, std::int64_t head,
                                                  std::int64_t token, int element, std::uint64_t index) {
  constexpr std::int64_t tokens_of_image = 1008, new_places = 5;
  const std::int64_t place = token / tokens_of_image * new_places + token % tokens_of_image / key_block;
  std::int32_t look = 0;
  for (std::int64_t i = place; i < place + 4; ++i)
    look += made_integer(seed * 3, static_cast<std::uint64_t>(head << 40 | (i * width + element)));
  const std::int32_t own = made_integer(seed * 3 + (of == tensor::q ? 1 : 2), index);
  constexpr float unit = 1 / (5 * 37837.2f);
  return window_attention::bf16_of(static_cast<float>(2 * look + 3 * own) * unit);
}

/// Element of a pooled row of q or k: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t made_bits(const problem& p, tensor of, std::int64_t head,
                                              std::int64_t block, int element) {
  using window_attention::bf16_of;
  using window_attention::made_element;
  const bool is_query = of == tensor::q;
  const auto index =
      static_cast<std::uint64_t>((head * (is_query ? p.queries : p.keys) + block) * width + element);
  switch (p.what) {
    case scores::scene:
      return scene_element(p.seed, of, head, block * (is_query ? query_block : key_block), element, index);
    case scores::integers: {
      const std::uint64_t drawn = mixed(p.seed * 7 + index * 2 + (is_query ? 1 : 0));
      return bf16_of(static_cast<float>(static_cast<int>((drawn >> 32) % 9) - 4));
    }
    case scores::ascending:
    case scores::descending: {
      // The score is the key block's place over 64: its three digits of 7 bits times what each is worth.
      if (element > 2) return 0;
      const int shift = 7 * (2 - element);
      if (is_query) return bf16_of(static_cast<float>(1 << shift) / 64);
      const std::int64_t place = p.what == scores::ascending ? block : p.keys - 1 - block;
      return bf16_of(static_cast<float>(place >> shift & 127));
    }
    case scores::levels: {
      // 0, 4 or 8, times 1 to 1 7/8 by the query block.
      if (element != 0) return 0;
      if (is_query) return bf16_of(1 + static_cast<float>(block % 8) / 8);
      return bf16_of(static_cast<float>(4 * (mixed(p.seed * 7 + index) % 3)));
    }
    case scores::equal:
      return made_element(p.seed, of, is_query ? index : static_cast<std::uint64_t>(head * width + element),
                          1);
    default:
      return made_element(p.seed, of, index, 1);
  }
}

/// Memory of the variant that sorts: of one head, which follow each other.
struct sort_scratch {
  std::uint32_t *scores, *sorted_scores;  ///< [queries][keys]: order-preserving images
  std::int32_t *numbers, *sorted_numbers;
  std::byte* temporary;  ///< of cub's sort
  std::size_t temporary_bytes;
};
sort_scratch cut_scratch(const problem&, std::size_t* bytes = nullptr);
std::size_t scratch_bytes(const problem&);

/// A row by the oracle: scores in fp64, and what it keeps, by a sort of all of them.
struct exact_row {
  std::vector<double> scores, bounds;  ///< [keys]; bounds: Σ|q·k|
  std::vector<std::uint32_t> kept;     ///< [words]
  std::int32_t count;
  double mass;  ///< kept, of 1

  double greatest() const;
};

/// Of a query among a head's key blocks.
using row_values = std::array<double, width>;
exact_row reference_row(const problem&, const row_values& query, const std::vector<row_values>& keys);

/// The oracle of a head, from inputs that it makes itself.
class head_oracle {
 public:
  head_oracle(const problem&, std::int64_t head);
  exact_row row(std::int64_t query) const;

 private:
  problem problem_;
  std::int64_t head_;
  std::vector<row_values> keys_;
};

/// What the oracle sees in a bitmap.
row_facts facts_of(const exact_row&, const std::uint32_t* kept);

}  // namespace ablate::block_sparse_selection
