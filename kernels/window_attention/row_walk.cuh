#pragma once

#include <cstdint>

namespace ablate::window_attention {

/// The first rows of a window's tiles of `Rows` tokens (a divisor of 128), one after the other, in each
/// batch. The table is read a bucket ahead and nothing is divided, so that the one thread that copies tiles,
/// which walks this way for each of them, does not wait.
template <int Rows>
class row_walk {
 public:
  /// `scope` as view::scope; null: windows follow each other.
  __device__ row_walk(const std::uint32_t* scope, long long window, int buckets_per_window, int bucket)
      : next_bucket_(scope == nullptr ? nullptr : scope + window * buckets_per_window),
        buckets_left_(buckets_per_window),
        bucket_rows_(bucket),
        ahead_(scope == nullptr ? static_cast<int>(window) * buckets_per_window
                                : static_cast<int>(*next_bucket_)) {}

  /// Not past the window's end.
  __device__ int next() {
    if (tiles_left_ == 0) {
      row_ = ahead_ * bucket_rows_;
      tiles_left_ = bucket_rows_ / Rows;
      if (--buckets_left_ > 0)
        ahead_ = next_bucket_ == nullptr ? ahead_ + 1 : static_cast<int>(*++next_bucket_);
    }
    --tiles_left_;
    const int row = row_;
    row_ += Rows;
    return row;
  }

 private:
  const std::uint32_t* next_bucket_;
  int buckets_left_, bucket_rows_;
  int ahead_;  ///< the bucket after this one
  int tiles_left_ = 0, row_ = 0;
};

}  // namespace ablate::window_attention
