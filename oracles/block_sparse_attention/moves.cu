// Whether tokens were moved as they should be, into the order of blocks and back. Nothing here is measured.
#include "kernels/block_sparse_attention/ordered_view.cuh"
#include "kernels/common/launch.cuh"
#include "oracles/block_sparse_attention/launches.h"

namespace ablate::block_sparse_attention {

constexpr int judging_threads = 256;

__global__ void clear_wrongly_moved(findings* found) { found->wrongly_moved = 0; }

struct compared_moves {
  const std::uint16_t *rows[3], *ordered[3], *out, *ordered_out;
  const float *lse, *ordered_lse;
  bool has_outputs;
};

/// Element by element, each from where its token is.
__global__ __launch_bounds__(judging_threads) void compare_moved(const __grid_constant__ ordered_view v,
                                                                 const __grid_constant__ compared_moves m,
                                                                 findings* found) {
  const long long i = blockIdx.x * static_cast<long long>(judging_threads) + threadIdx.x;
  if (i >= v.rows * width) return;
  const long long row = i / width, place = row % v.tokens;
  const long long image = place / v.patches_of_image;
  const long long token =
      place < v.patches ? image * v.patches_of_image + v.table[place % v.patches_of_image] : place;
  const long long from = (row / v.tokens * v.tokens + token) * width + i % width;
  int wrong = 0;
#pragma unroll
  for (int of = 0; of < 3; ++of) wrong += m.ordered[of][i] != m.rows[of][from];
  if (m.has_outputs) {
    wrong += m.out[from] != m.ordered_out[i];
    wrong += i % width == 0 && __float_as_uint(m.lse[from / width]) != __float_as_uint(m.ordered_lse[row]);
  }
  if (wrong > 0) atomicAdd(&found->wrongly_moved, static_cast<unsigned long long>(wrong));
}

void judge_moves(launcher& to, const checked_problem& p) {
  const ordered_view v(p);
  launch(to, clear_wrongly_moved, dim3(1), dim3(1), 0, p.found);
  const compared_moves m = {
      {p.q, p.k, p.v}, {p.ordered[0], p.ordered[1], p.ordered[2]}, p.out, p.ordered_out, p.lse, p.ordered_lse,
      !p.stops_ahead};
  launch(to, compare_moved, dim3(blocks_for(v.rows * width, judging_threads)), dim3(judging_threads), 0, v, m,
         p.found);
}

}  // namespace ablate::block_sparse_attention
