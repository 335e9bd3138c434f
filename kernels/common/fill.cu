// Fills spans of memory: 64 bytes a thread in four rounds of the block, so that the hand-out of blocks does
// not bound it; for each span the blocks that it needs, one span behind the other.
#include "kernels/common/fill.h"

#include <algorithm>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/launch.cuh"

namespace ablate {

constexpr int fill_threads = 256, words_per_vector = 4, vectors_per_thread = 4;
constexpr int words_per_block = fill_threads * words_per_vector * vectors_per_thread;

struct filled_spans {
  word_span span[most_filled_spans];
  unsigned first_block[most_filled_spans];  ///< ascending; of no span, behind all blocks
};

__global__ __launch_bounds__(fill_threads) void fill_words(const __grid_constant__ filled_spans all) {
  let_next_kernel_begin();
  int k = 0;
#pragma unroll
  for (int other = 1; other < most_filled_spans; ++other) k += blockIdx.x >= all.first_block[other];
  const word_span to = all.span[k];
  const long long block = blockIdx.x - all.first_block[k];
#pragma unroll
  for (int round = 0; round < vectors_per_thread; ++round) {
    const long long first =
        block * words_per_block + words_per_vector * (round * fill_threads + static_cast<int>(threadIdx.x));
    auto* const words = static_cast<std::uint32_t*>(to.address) + first;
    if (first + words_per_vector <= to.words) {
      *reinterpret_cast<uint4*>(words) = make_uint4(to.value, to.value, to.value, to.value);
    } else {
      for (long long i = 0; first + i < to.words; ++i) words[i] = to.value;
    }
  }
}

void fill(launcher& to, std::initializer_list<word_span> spans) {
  if (spans.size() > most_filled_spans) throw launch_error("fill: more spans than a launch takes");
  filled_spans all{};
  unsigned blocks = 0, k = 0;
  for (const word_span& s : spans) {
    all.span[k] = s;
    all.first_block[k++] = blocks;
    blocks += blocks_for(s.words, words_per_block);
  }
  std::fill(all.first_block + k, all.first_block + most_filled_spans, blocks);
  launch(to, fill_words, dim3(blocks), dim3(fill_threads), 0, all);
}

}  // namespace ablate
