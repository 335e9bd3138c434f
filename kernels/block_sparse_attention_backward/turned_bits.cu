// Which query blocks keep a key block: the transposed bitmap.
//   A warp has 32 key blocks, one word of each query block. For 32 query blocks at a time, a vote on each bit
// yields a word of a key block, and a lane counts its own block's bits.
// No atomics, reproducible.
// Should move: nothing measurable; bits are 1/2^13 of the scores.
#include "kernels/block_sparse_attention_backward/kept_pairs.cuh"

namespace ablate::block_sparse_attention_backward {

constexpr int turning_threads = 256;

__global__ __launch_bounds__(turning_threads) void turn_bits(const __grid_constant__ kept_pairs pairs) {
  const long long warp = (blockIdx.x * static_cast<long long>(turning_threads) + threadIdx.x) / 32;
  if (warp >= static_cast<long long>(pairs.heads) * pairs.key_words) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, word = static_cast<int>(warp % pairs.key_words);
  const long long head = warp / pairs.key_words;
  const int key = 32 * word + lane;
  const long long to = head * pairs.key_blocks + key;
  int count = 0;
#pragma unroll 1
  for (int query_word = 0; query_word < pairs.query_words; ++query_word) {
    const int query = 32 * query_word + lane;
    const unsigned bits = query < pairs.query_blocks
                              ? pairs.bits[(head * pairs.query_blocks + query) * pairs.key_words + word]
                              : 0;
    unsigned mine = 0;
#pragma unroll
    for (int bit = 0; bit < 32; ++bit) {
      const unsigned column = __ballot_sync(~0u, (bits >> bit & 1) != 0);
      if (bit == lane) mine = column;
    }
    if (key < pairs.key_blocks) pairs.turned[to * pairs.query_words + query_word] = mine;
    count += __popc(mine);
  }
  if (key < pairs.key_blocks) pairs.turned_counts[to] = count;
}

void turn_around(launcher& to, const problem& p) {
  const kept_pairs pairs(p);
  const long long warps = static_cast<long long>(pairs.heads) * pairs.key_words;
  launch(to, turn_bits, dim3(blocks_for(32 * warps, turning_threads)), dim3(turning_threads), 0, pairs);
}

}  // namespace ablate::block_sparse_attention_backward
