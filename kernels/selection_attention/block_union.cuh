// The key blocks that the lists of a thread block's warps name, in ascending order, and whose each is.
#pragma once

#include "kernels/selection_attention/bitmap_pieces.h"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

/// In dynamic shared memory. All threads of the block construct it and call `build`.
template <int Warps>
class block_union {
 public:
  static constexpr int threads = 32 * Warps, most_blocks = most_forced + Warps * most_selected;
  static_assert(Warps <= 16, "a bit a warp in 16");

  static std::size_t bytes(int blocks) {
    return sizeof(unsigned) * words_of(blocks) + sizeof(int) * (most_blocks + threads + Warps) +
           sizeof(unsigned) * most_blocks;
  }

  __device__ block_union(int blocks, unsigned char* memory)
      : pieces_{words_of(blocks), threads},
        bitmap_(reinterpret_cast<unsigned*>(memory)),
        blocks_(reinterpret_cast<int*>(bitmap_ + pieces_.words)),
        whose_(reinterpret_cast<unsigned*>(blocks_ + most_blocks)),
        bits_before_piece_(reinterpret_cast<int*>(whose_ + most_blocks)),
        bits_of_warp_(bits_before_piece_ + threads) {}

  /// `attends`: whether this warp has queries, and so a list.
  __device__ void build(const view& v, const work_item& at, bool attends) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    for (int i = thread; i < pieces_.words; i += threads) bitmap_[i] = 0;
    __syncthreads();
    const auto for_each_entry = [&](auto take) {
      if (!attends) return;
      const std::int32_t* const list =
          v.table + (static_cast<long long>(at.head) * v.blocks + (at.tile >> v.log2_in_block)) * v.selected;
      for (int i = lane; i < v.selected; i += 32)
        if (list[i] >= v.lowest_entry && list[i] < v.blocks) take(list[i]);
    };
    for_each_entry([&](int block) { atomicOr(&bitmap_[block / 32], 1u << block % 32); });
    for (int block = thread; block < v.forced_blocks; block += threads)
      atomicOr(&bitmap_[block / 32], 1u << block % 32);
    __syncthreads();

    const int first = pieces_.first_word(thread), end = pieces_.first_word(thread + 1);
    int mine = 0;
    for (int i = first; i < end; ++i) mine += __popc(bitmap_[i]);
    int up_to_mine = mine;
    for (int far = 1; far < 32; far *= 2) {
      const int before = __shfl_up_sync(~0u, up_to_mine, far);
      if (lane >= far) up_to_mine += before;
    }
    if (lane == 31) bits_of_warp_[warp] = up_to_mine;
    __syncthreads();
    int before = up_to_mine - mine;
    count_ = 0;
    for (int i = 0; i < Warps; ++i) {
      if (i < warp) before += bits_of_warp_[i];
      count_ += bits_of_warp_[i];
    }
    bits_before_piece_[thread] = before;
    for (int i = first; i < end; ++i)
      for (unsigned word = bitmap_[i]; word != 0; word &= word - 1) {
        const int block = 32 * i + __ffs(static_cast<int>(word)) - 1;
        blocks_[before] = block;
        whose_[before] = block < v.forced_blocks ? ~0u : 0;
        ++before;
      }
    __syncthreads();
    for_each_entry(
        [&](int block) { atomicOr(&whose_[pieces_.rank(bitmap_, bits_before_piece_, block)], 1u << warp); });
    __syncthreads();
  }

  __device__ int count() const { return count_; }
  __device__ int block(int i) const { return blocks_[i]; }
  __device__ bool is_of(int i, unsigned warp) const { return (whose_[i] >> warp & 1) != 0; }

 private:
  __host__ __device__ static constexpr int words_of(int blocks) { return (blocks + 31) / 32; }

  bitmap_pieces pieces_;
  unsigned* bitmap_;
  int* blocks_;
  unsigned* whose_;
  int *bits_before_piece_, *bits_of_warp_;
  int count_ = 0;
};

}  // namespace ablate::selection_attention
