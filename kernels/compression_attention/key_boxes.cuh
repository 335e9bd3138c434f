// The keys that a block of queries meets, 64 at a time: all of them, or those of the key blocks that it
// keeps.
#pragma once

#include "kernels/compression_attention/view.cuh"

namespace ablate::compression_attention {

/// Key rows that follow each other.
struct key_box {
  int first, there;  ///< there: at most tile_keys
};

/// All keys, in ascending order.
class all_boxes {
 public:
  __device__ all_boxes(const view& v, int, long long)
      : count_(static_cast<int>(v.padded_rows / tile_keys)), keys_(static_cast<int>(v.key_rows)) {}

  __device__ int count() const { return count_; }
  __device__ key_box next() {
    const int first = next_;
    next_ += tile_keys;
    return {first, min(tile_keys, keys_ - first)};
  }

 private:
  int count_, keys_, next_ = 0;
};

/// Those of the key blocks whose bits are set, in ascending order; then what follows the rows in
/// blocks.
class kept_boxes {
 public:
  /// `first_query`: of the query block.
  __device__ kept_boxes(const view& v, int head, long long first_query)
      : rows_(static_cast<int>(v.rows)),
        in_blocks_(static_cast<int>(v.kept.rows)),
        behind_(in_blocks_),
        words_(static_cast<int>(v.kept.words())) {
    const long long row = head * v.kept.query_blocks() + first_query / kept_blocks::queries;
    bits_ = v.kept.bits + row * words_;
    ahead_ = __ldg(bits_);
    const int kept = min(__ldg(v.kept.counts + row), static_cast<int>(v.kept.key_blocks()));
    count_ = max(kept + (rows_ - in_blocks_ + tile_keys - 1) / tile_keys, 1);
  }

  /// At least one, so that a loop over them has a first.
  __device__ int count() const { return count_; }

  /// After the last one: no keys, where a row would be that does not exist.
  __device__ key_box next() {
    // The word behind is on its way while this one's blocks are met.
    while (word_ == 0 && next_word_ < words_) {
      word_ = ahead_;
      ahead_ = ++next_word_ < words_ ? __ldg(bits_ + next_word_) : 0;
    }
    if (word_ != 0) {
      const int first = (32 * (next_word_ - 1) + __ffs(static_cast<int>(word_)) - 1) * tile_keys;
      word_ &= word_ - 1;
      return {first, min(tile_keys, in_blocks_ - first)};
    }
    const int first = behind_;
    if (first >= rows_) return {rows_, 0};
    behind_ += tile_keys;
    return {first, min(tile_keys, rows_ - first)};
  }

 private:
  static_assert(kept_blocks::keys == tile_keys && kept_blocks::queries == tile_queries);

  const std::uint32_t* bits_;
  int rows_, in_blocks_, behind_, words_, count_, next_word_ = 0;
  unsigned word_ = 0, ahead_;  ///< what is left of the word before next_word_; that one
};

}  // namespace ablate::compression_attention
