// Drop path: y = x + s(row) · branch, and its gradient, that of the branch: s(row) · g, with s = 0 or
// 1 / (1 − p) by a hash of seed, branch and row (row_norm's), 16 bytes of a row a thread. A dropped row's
// branch is not read. Launches of their own: the layer before a residual has the seed nowhere, and where
// p is 0 there is no such step. Should move, against training without: launches, two a branch, and bytes from
// L2.
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/network/parts.h"
#include "kernels/network/run.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::backbone {

constexpr int dropping_threads = 256;

struct dropped_view {
  const std::uint16_t *branch, *skipped;  ///< skipped: null in the gradient
  std::uint16_t* out;
  long long chunks;
  int chunks_of_row;
  float drop;
  std::uint64_t seed;
};

/// add_dropped or drop_gradient.
template <step_kind Kind>
__global__ __launch_bounds__(dropping_threads) void keep_rows(dropped_view v) {
  const long long at = blockIdx.x * static_cast<long long>(dropping_threads) + threadIdx.x;
  if (at >= v.chunks) return;
  const float scale = row_norm::branch_scale(v.seed, v.drop, at / v.chunks_of_row);
  float branch[chunk] = {}, sum[chunk] = {};
  if (scale != 0) unpack(branch, load_chunk(v.branch, at));
  if constexpr (Kind == step_kind::add_dropped) unpack(sum, load_chunk(v.skipped, at));
#pragma unroll
  for (int i = 0; i < chunk; ++i) sum[i] = fmaf(scale, branch[i], sum[i]);
  store_chunk(v.out, at, ablate::pack(sum));
}

namespace {

dropped_view view_of(const problem& p, const network& n, const step& s) {
  dropped_view v{};
  v.branch = rows_at(p, n, s.in);
  v.skipped = s.skip < 0 ? nullptr : rows_at(p, n, s.skip);
  v.out = rows_at(p, n, s.out);
  v.chunks_of_row = s.channels / chunk;
  v.chunks = n.level_at(s.level).rows * v.chunks_of_row;
  v.drop = s.drop;
  v.seed = s.drop_seed;
  return v;
}

}  // namespace

void run_drop_path(launcher& to, const problem& p, const network& n, const step& s) {
  const dropped_view v = view_of(p, n, s);
  launch(to,
         s.kind == step_kind::add_dropped ? keep_rows<step_kind::add_dropped>
                                          : keep_rows<step_kind::drop_gradient>,
         dim3(blocks_for(v.chunks, dropping_threads)), dim3(dropping_threads), 0, v);
}

}  // namespace ablate::backbone
