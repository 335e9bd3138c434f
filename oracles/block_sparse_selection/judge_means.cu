// Whether means of blocks are right, by sums in fp64 on the device. Nothing here is measured.
#include "kernels/block_sparse_selection/mean_view.cuh"
#include "oracles/block_sparse_selection/mean_findings.h"

namespace ablate::block_sparse_selection {

__global__ void clear_mean_findings(mean_findings* found) { *found = {0, 0, ~0ull}; }

/// A warp a block, a lane two elements.
template <class View>
__device__ void judge_row(const View& v, mean_findings* found) {
  const long long number = v.block_of_warp();
  if (number >= v.all_blocks) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, count = v.tokens_of(number);
  const auto* const from = reinterpret_cast<const std::uint16_t*>(v.first_row(number)) + 2 * lane;
  const auto* const seen = reinterpret_cast<const std::uint16_t*>(v.mean(number)) + 2 * lane;
  bool is_right = true;
  for (int e = 0; e < 2; ++e) {
    double sum = 0, absolutes = 0;
    for (int row = 0; row < count; ++row) {
      const auto x = static_cast<double>(float_of_bf16(from[row * width + e]));
      sum += x;
      absolutes += fabs(x);
    }
    // Rounded to bf16 once, and sums of fp32.
    const double off = fabs(static_cast<double>(float_of_bf16(seen[e])) - sum / count);
    is_right = is_right && off <= 0x1p-8 * fabs(sum / count) + 0x1p-18 * absolutes / count;
  }
  const bool all_right = __all_sync(~0u, is_right);
  if (lane != 0) return;
  atomicAdd(&found->judged, 1ull);
  if (all_right) return;
  atomicAdd(&found->wrong, 1ull);
  atomicMin(&found->first_wrong, static_cast<unsigned long long>(number));
}

__global__ __launch_bounds__(row_threads) void judge_mean(const __grid_constant__ mean_view v,
                                                          mean_findings* found) {
  judge_row(v, found);
}
__global__ __launch_bounds__(row_threads) void judge_mean_among_others(const __grid_constant__ pooled_view v,
                                                                       mean_findings* found) {
  judge_row(v, found);
}

void judge_means(launcher& to, const block_means& m, mean_findings* found) {
  const pooled_view v(m);
  launch(to, clear_mean_findings, dim3(1), dim3(1), 0, found);
  if (m.stands_alone())
    launch(to, judge_mean, grid_of(v), dim3(row_threads), 0, mean_view(m), found);
  else
    launch(to, judge_mean_among_others, grid_of(v), dim3(row_threads), 0, v, found);
}

}  // namespace ablate::block_sparse_selection
