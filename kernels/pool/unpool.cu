// Unpooling and the gradient of pooling by lanes of 16 bytes.
//   up[r] = skipped[r] + down[cluster[r]]: a lane a vector of a row, the cluster's from its number
//   gradient of features: of a sum g[cluster[r]]; of a mean that over the members; of a minimum or maximum g
//   for the winner and 0 for the others, so every row is written and nothing zeroed. A lane takes a vector of
//   a cluster and goes through the members; winners are those that `reduce` kept, 1 byte, or are searched
//   again among the features, 2 bytes a member.
// Should move: bytes, by C · R for kept winners against 2 · C · N of searching again.
#include "kernels/pool/phases.h"
#include "kernels/pool/vectors.cuh"

namespace ablate::pool {

__global__ __launch_bounds__(row_threads) void add_clusters(const __grid_constant__ row_view v) {
  const unsigned lanes = v.channels / vector_channels, lane = threadIdx.x % lanes;
  const unsigned row = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  if (row >= v.points) return;
  const uint4 skipped = __ldg(vector_of(v.skipped, row, v.channels, lane));
  const uint4 down = __ldg(vector_of(v.down, __ldg(v.cluster + row), v.channels, lane));
  float sum[vector_channels];
#pragma unroll
  for (int i = 0; i < vector_channels; ++i) sum[i] = channel_of(skipped, i) + channel_of(down, i);
  *vector_of(v.up, row, v.channels, lane) = rounded(sum);
}

enum class winner_source { kept, searched };

/// The winners of a vector of a cluster: kept, or searched; a late one is always searched.
template <reduction Op, winner_source Source>
__device__ void winners_of(const row_view& v, const member_lists& members, unsigned row, unsigned lane,
                           unsigned begin, unsigned end, unsigned (&winner)[vector_channels]) {
  bool searches = Source == winner_source::searched;
  if constexpr (Source == winner_source::kept) {
    const uint2 kept =
        __ldg(reinterpret_cast<const uint2*>(v.winner + static_cast<long long>(row) * v.channels) + lane);
#pragma unroll
    for (int i = 0; i < vector_channels; ++i) {
      winner[i] = (i < 4 ? kept.x : kept.y) >> 8 * (i % 4) & 0xffu;
      searches = searches || winner[i] == late_winner;
    }
  }
  if (!searches) return;
  reducer<Op, winners::kept, vector_channels> again;
  reduce_vector(again, v.features, v.points, v.channels, lane, begin, end,
                [&](unsigned i) { return members.at(i); });
#pragma unroll
  for (int i = 0; i < vector_channels; ++i) winner[i] = again.winner[i];
}

template <reduction Op, winner_source Source>
__global__ __launch_bounds__(row_threads) void spread_rows(const __grid_constant__ row_view v,
                                                           const member_lists members) {
  constexpr bool selects = Op == reduction::minimum || Op == reduction::maximum;
  const unsigned lanes = v.channels / vector_channels, lane = threadIdx.x % lanes;
  const unsigned row = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  if (row >= v.rows()) return;
  const unsigned begin = members.begin(row), end = members.end(row);
  const uint4 stored = __ldg(vector_of(v.row_gradient, row, v.channels, lane));
  float gradient[vector_channels];
#pragma unroll
  for (int i = 0; i < vector_channels; ++i) {
    gradient[i] = channel_of(stored, i);
    if constexpr (Op == reduction::mean) gradient[i] = gradient[i] / static_cast<float>(end - begin);
  }
  unsigned winner[vector_channels] = {};
  if constexpr (selects) winners_of<Op, Source>(v, members, row, lane, begin, end, winner);
  const uint4 whole = rounded(gradient);
  for (unsigned i = begin; i < end; ++i) {
    uint4 share = whole;
    if constexpr (selects) {
      float won[vector_channels];
#pragma unroll
      for (int c = 0; c < vector_channels; ++c) won[c] = winner[c] == i - begin ? gradient[c] : 0.0f;
      share = rounded(won);
    }
    *vector_of(v.feature_gradient, members.at(i), v.channels, lane) = share;
  }
}

void unpool_by_vectors(launcher& to, const problem& p) {
  const int lanes = p.channels / vector_channels, rows_at_once = row_threads / lanes;
  launch(to, add_clusters, dim3(blocks_for(p.points, rows_at_once)), dim3(rows_at_once * lanes), 0,
         row_view(p));
}

void reduce_backward_by_vectors(launcher& to, const problem& p, bool searches) {
  const int lanes = p.channels / vector_channels, rows_at_once = row_threads / lanes;
  with_reduction(p.op, [&](auto op) {
    const auto kernel =
        searches ? spread_rows<op, winner_source::searched> : spread_rows<op, winner_source::kept>;
    launch(to, kernel, dim3(blocks_for(p.capacity(), rows_at_once)), dim3(rows_at_once * lanes), 0,
           row_view(p), member_lists(p));
  });
}

}  // namespace ablate::pool
