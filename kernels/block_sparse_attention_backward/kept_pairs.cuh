// The pairs of blocks that Block-Sparse attention keeps, from both sides, and the walks over what a block of
// rows meets.
#pragma once

#include "kernels/block_sparse_attention_backward/block_sparse_attention_backward.h"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::block_sparse_attention_backward {

using window_attention_backward::row_block;
using window_attention_backward::side;

/// Bits of each query block's key blocks, and turned around: of each key block's query blocks.
struct kept_pairs {
  const std::uint32_t* bits;    ///< [heads][query_blocks][key_words]
  const std::int32_t* counts;   ///< [heads][query_blocks]
  std::uint32_t* turned;        ///< [heads][key_blocks][query_words]
  std::int32_t* turned_counts;  ///< [heads][key_blocks]
  int heads, query_blocks, key_blocks, key_words, query_words;

  explicit kept_pairs(const problem& p)
      : bits(p.forward.kept),
        counts(p.forward.kept_counts),
        turned(p.turned),
        turned_counts(p.turned_counts),
        heads(static_cast<int>(p.forward.heads)),
        query_blocks(static_cast<int>(p.query_blocks())),
        key_blocks(static_cast<int>(p.key_blocks())),
        key_words(static_cast<int>(p.key_words())),
        query_words(static_cast<int>(p.query_words())) {}

  __device__ bool keeps(long long head, int query_block, int key_block) const {
    return (bits[(head * query_blocks + query_block) * key_words + key_block / 32] >> key_block % 32 & 1) !=
           0;
  }
};

/// Tiles of 64 rows of the other side, ascending: of the key blocks that a query block keeps, one each; or of
/// the query blocks that keep a key block, two each.
template <side Of>
class kept_tiles {
 public:
  static constexpr bool may_be_none = Of == side::keys;  ///< a key block that is kept by none

  __device__ kept_tiles(const kept_pairs& pairs, const row_block& b) {
    constexpr bool of_queries = Of == side::queries;
    const int blocks = of_queries ? pairs.query_blocks : pairs.key_blocks;
    const int block = b.first_token / (of_queries ? rows_of_query_block : rows_of_key_block);
    const long long row = static_cast<long long>(b.batch) * blocks + block;
    words_ = of_queries ? pairs.key_words : pairs.query_words;
    bits_ = (of_queries ? pairs.bits : pairs.turned) + row * words_;
    count_ = tiles_of_block * __ldg((of_queries ? pairs.counts : pairs.turned_counts) + row);
    ahead_ = __ldg(bits_);
  }

  __device__ int count() const { return count_; }

  /// The first row of the next one; there must be one.
  __device__ int next() {
    if (tiles_left_ > 0) {
      --tiles_left_;
      return row_ += rows_of_tile;
    }
    // The word behind is on its way while this one's blocks are met.
    while (word_ == 0) {
      word_ = ahead_;
      ahead_ = ++next_word_ < words_ ? __ldg(bits_ + next_word_) : 0;
    }
    const int block = 32 * (next_word_ - 1) + __ffs(static_cast<int>(word_)) - 1;
    word_ &= word_ - 1;
    tiles_left_ = tiles_of_block - 1;
    return row_ = block * tiles_of_block * rows_of_tile;
  }

 private:
  static constexpr int rows_of_tile = 64;
  static constexpr int tiles_of_block =
      (Of == side::queries ? rows_of_key_block : rows_of_query_block) / rows_of_tile;

  const std::uint32_t* bits_;
  int words_, count_, next_word_ = 0, tiles_left_ = 0, row_ = 0;
  unsigned word_ = 0, ahead_;  ///< what is left of the word before next_word_; that one
};

/// Fills `turned` and `turned_counts`.
void turn_around(launcher&, const problem&);

/// Launch dK and dV, then dQ, given statistics of rows (window_attention_backward/view.cuh).
void differentiate_kept_by_mma(launcher&, const problem&);
void differentiate_kept_on_hopper(launcher&, const problem&);

}  // namespace ablate::block_sparse_attention_backward
