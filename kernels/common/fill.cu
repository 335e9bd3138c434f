// Fills spans of memory: 16 bytes a thread, one row of blocks a span. Rows are as long as the longest span;
// blocks past the end of a shorter one have nothing to do.
#include "kernels/common/fill.h"

#include <algorithm>

#include "kernels/common/launch.cuh"

namespace ablate {

constexpr int fill_threads = 256, words_per_thread = 4;

struct filled_spans {
  word_span span[most_filled_spans];
};

__global__ __launch_bounds__(fill_threads) void fill_words(const __grid_constant__ filled_spans all) {
  const word_span to = all.span[blockIdx.y];
  const long long first =
      words_per_thread * (static_cast<long long>(blockIdx.x) * fill_threads + threadIdx.x);
  auto* const words = static_cast<std::uint32_t*>(to.address) + first;
  if (first + words_per_thread <= to.words) {
    *reinterpret_cast<uint4*>(words) = make_uint4(to.value, to.value, to.value, to.value);
  } else {
    for (long long i = 0; first + i < to.words; ++i) words[i] = to.value;
  }
}

void fill(launcher& to, std::initializer_list<word_span> spans) {
  if (spans.size() > most_filled_spans) throw launch_error("fill: more spans than a launch takes");
  filled_spans all{};
  std::copy(spans.begin(), spans.end(), all.span);
  std::int64_t longest = 0;
  for (const word_span& s : spans) longest = std::max(longest, s.words);
  launch(to, fill_words,
         dim3(blocks_for(longest, fill_threads * words_per_thread), static_cast<unsigned>(spans.size())),
         dim3(fill_threads), 0, all);
}

}  // namespace ablate
