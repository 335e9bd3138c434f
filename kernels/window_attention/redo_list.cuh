// Query tiles that a softmax without a running maximum could not compute: a list in scratch that holds each
// tile once, however many warps or blocks find that part of it must be redone.
#pragma once

#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// view::again as a list. Tiles have 128 queries or more.
class redo_list {
 public:
  __host__ __device__ explicit redo_list(const view& v)
      : room_(room(v)), count_(v.again), tiles_(v.again + 1), is_listed_(tiles_ + room_) {}

  /// The maximum number of tiles.
  __host__ __device__ static long long room(const view& v) {
    return static_cast<long long>(v.batches) * v.heads * (v.tokens / 128);
  }

  __device__ unsigned count() const { return *count_; }
  __device__ unsigned tile(long long i) const { return tiles_[i]; }

  /// Called by any thread that finds that a tile must be redone, any number of times.
  __device__ void add(long long tile) const {
    if (atomicExch(is_listed_ + tile, 1u) == 0) tiles_[atomicAdd(count_, 1u)] = static_cast<unsigned>(tile);
  }

  /// The i-th part of emptying the list, of as many as there is room for tiles.
  __device__ void empty(long long i) const {
    if (i == 0) *count_ = 0;
    if (i < room_) is_listed_[i] = 0;
  }

 private:
  long long room_;
  unsigned *count_, *tiles_, *is_listed_;
};

/// Empties the list.
void empty_redo_list(launcher&, const view&, bool begins_early = false);

}  // namespace ablate::window_attention
