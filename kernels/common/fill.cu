// Fills spans of memory: for each span the blocks that it needs, one span after the other.
#include "kernels/common/fill.cuh"

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"

namespace ablate {

struct filled_spans {
  word_span span[max_filled_spans];
  unsigned first_block[max_filled_spans];  ///< ascending; of no span, after all blocks
};

__global__ __launch_bounds__(fill_threads) void fill_words(const __grid_constant__ filled_spans all) {
  let_next_kernel_begin();
  int k = 0;
#pragma unroll
  for (int other = 1; other < max_filled_spans; ++other) k += blockIdx.x >= all.first_block[other];
  fill_part(all.span[k], blockIdx.x - all.first_block[k]);
}

void fill(launcher& to, std::initializer_list<word_span> spans) {
  if (spans.size() > max_filled_spans) refuse_launch({"fill: more spans than a launch takes"});
  filled_spans all{};
  unsigned blocks = 0, k = 0;
  for (const word_span& s : spans) {
    all.span[k] = s;
    all.first_block[k++] = blocks;
    blocks += blocks_for(s.words, words_per_fill_block);
  }
  std::fill(all.first_block + k, all.first_block + max_filled_spans, blocks);
  launch(to, fill_words, dim3(blocks), dim3(fill_threads), 0, all);
}

}  // namespace ablate
