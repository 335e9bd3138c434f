// The key blocks that the lists of neighboring query tiles name, in ascending order, and whose each is.
#pragma once

#include "kernels/selection_attention/bitmap_pieces.h"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

constexpr int sharing_warps = 8;  ///< of a block, each with 16 neighboring queries and their list

/// Of a block's lists, in dynamic shared memory. All warps construct it and call `build`.
class block_union {
 public:
  static constexpr int warps = sharing_warps, lists = warps, threads = 32 * warps;
  static constexpr int max_blocks = max_forced + lists * max_selected;
  static_assert(lists <= 32, "a bit a list");

  static std::size_t bytes(int blocks) {
    return sizeof(unsigned) * words_of(blocks) + sizeof(int) * (max_blocks + threads + warps) +
           sizeof(unsigned) * max_blocks;
  }

  __device__ block_union(int blocks, unsigned char* memory)
      : pieces_{words_of(blocks), threads},
        bitmap_(reinterpret_cast<unsigned*>(memory)),
        blocks_(reinterpret_cast<int*>(bitmap_ + pieces_.words)),
        whose_(reinterpret_cast<unsigned*>(blocks_ + max_blocks)),
        bits_before_piece_(reinterpret_cast<int*>(whose_ + max_blocks)),
        bits_of_warp_(bits_before_piece_ + threads) {}

  /// `first_item`: the query tile whose list is the first one. Tiles that do not attend have none.
  __device__ void build(const view& v, const work_item& first_item) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    for (int i = thread; i < pieces_.words; i += threads) bitmap_[i] = 0;
    __syncthreads();
    const auto for_each_entry = [&](auto take) {
#pragma unroll 1
      for (int number = warp; number < lists; number += warps) {
        const work_item at(first_item.head, first_item.tile + number);
        if (!at.attends(v)) continue;
        const std::int32_t* const list =
            v.table +
            (static_cast<long long>(at.head) * v.blocks + (at.tile >> v.log2_in_block)) * v.selected;
        for (int i = lane; i < v.selected; i += 32)
          if (list[i] >= v.lowest_entry && list[i] < v.blocks) take(list[i], number);
      }
    };
    for_each_entry([&](int block, int) { atomicOr(&bitmap_[block / 32], 1u << block % 32); });
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
    for (int i = 0; i < warps; ++i) {
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
    for_each_entry([&](int block, int number) {
      atomicOr(&whose_[pieces_.rank(bitmap_, bits_before_piece_, block)], 1u << number);
    });
    __syncthreads();
  }

  __device__ int count() const { return count_; }
  __device__ int block(int i) const { return blocks_[i]; }
  /// Whether a warp's list names the block; forced ones are of all.
  __device__ bool is_of(int i, unsigned list) const { return (whose_[i] >> list & 1) != 0; }

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
