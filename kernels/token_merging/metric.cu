// What tokens are matched by where it is shorter than x: y = Σ over heads of x's 64 channels there, divided
// by its length, a warp a token.
//   A lane has two channels and meets the heads in their order, 128 bytes of a row at a time, so that the
// sums are the same bits wherever they are made.
// Should move: tensor instructions of the match after it, by the number of heads,
// for one more reading of x.
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

__global__ __launch_bounds__(block_threads) void mean_over_heads(const std::uint16_t* x, long long tokens,
                                                                 int heads, std::uint16_t* rows) {
  const long long token = (blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x) / 32;
  if (token >= tokens) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int pairs = width / 2;
  const auto* const from = reinterpret_cast<const unsigned*>(x) + token * heads * pairs + lane;
  float low = 0, high = 0;
#pragma unroll 8
  for (int head = 0; head < heads; ++head) {
    const unsigned pair = __ldg(from + head * pairs);
    low += __uint_as_float(pair << 16);
    high += __uint_as_float(pair & 0xffff0000u);
  }
  double squared = static_cast<double>(low) * low + static_cast<double>(high) * high;
#pragma unroll
  for (int far = 16; far > 0; far /= 2) squared += __shfl_xor_sync(~0u, squared, far);
  reinterpret_cast<unsigned*>(rows)[token * pairs + lane] =
      static_cast<unsigned>(metric_element(low, squared)) |
      static_cast<unsigned>(metric_element(high, squared)) << 16;
}

void make_metric_rows(launcher& to, const problem& p) {
  if (p.metric == metric::channels) return;
  const auto tokens = static_cast<long long>(p.tokens());
  launch(to, mean_over_heads, dim3(blocks_for(tokens * 32, block_threads)), dim3(block_threads), 0, p.x,
         tokens, static_cast<int>(p.heads), p.metric_rows);
}

}  // namespace ablate::token_merging
