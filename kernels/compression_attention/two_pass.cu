// Attention writes its scores to memory, a kernel of its own lists the greatest. Scores of all n rows would
// take 4 n² bytes a head (266 GB for 16 heads at 1024 images), so it goes by chunks of rows, two launches
// each. What fusing saves: 4 bytes a score written and read.
// Should move: DRAM bytes.

#include "kernels/compression_attention/attend.cuh"
#include "kernels/compression_attention/launches.h"
#include "kernels/compression_attention/top_list.cuh"

namespace ablate::compression_attention {

/// Keeps nothing.
struct write_scores {
  struct memory {};
  const view& v;
  __device__ write_scores(const view& of, memory*) : v(of) {}
  __device__ void see(const tile_scores& s, const group_maxima&, const tile_place& at) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned stride = 8 * static_cast<unsigned>(v.padded_rows);
    const long long row = at.head * v.chunk_rows + at.first_query - v.first_row + lane / 4;
    float* const to = v.scores + row * v.padded_rows + at.first_key + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int n = 0; n < tile_keys / 8; ++n)
          *reinterpret_cast<float2*>(to + (2 * i + j) * stride + 8 * n) = {s[i][n][2 * j],
                                                                           s[i][n][2 * j + 1]};
  }
  __device__ void finish(const view&, const tile_place&) {}
};

constexpr int choosing_warps = 8;

/// A warp's row.
template <int Halves>
struct chosen_row {
  entry best[Halves][1] = {};  ///< the lane's places of the list
  float least = -INFINITY;
  int count = 0;  ///< of candidates that wait

  __device__ void merge(const entry* waiting, int selected) {
    __syncwarp();
    entry candidates[1] = {static_cast<int>(threadIdx.x) % 32 < count ? waiting[threadIdx.x % 32] : 0};
    merge_candidates(best, candidates);
    __syncwarp();
    least = least_of_list(__shfl_sync(~0u, best[Halves - 1][0], (selected - 1) % 32));
    count = 0;
  }
};

/// A warp lists a row's greatest scores, 128 at a time.
template <int Halves>
__device__ void choose_of_rows(const view& v) {
  __shared__ entry all_waiting[choosing_warps][32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long item = static_cast<long long>(blockIdx.x) * choosing_warps + warp;
  const long long head = item / v.chunk_rows, row = v.first_row + item % v.chunk_rows;
  if (head >= v.heads || row >= v.rows) return;
  const float* const scores = v.scores + item * v.padded_rows;
  entry* const waiting = all_waiting[warp];
  chosen_row<Halves> chosen;
  for (long long first = v.first_listed; first < v.rows; first += 128) {
    float s[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const long long key = first + 32 * i + lane;
      s[i] = key < v.rows ? scores[key] : -INFINITY;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned above = __ballot_sync(~0u, s[i] > chosen.least);
      if (above == 0) continue;
      if (chosen.count + __popc(above) > 32) {
        chosen.merge(waiting, v.selected);
        above = __ballot_sync(~0u, s[i] > chosen.least);
      }
      if (s[i] > chosen.least)
        waiting[chosen.count + __popc(above & ((1u << lane) - 1))] =
            entry_of(s[i], static_cast<unsigned>(first + 32 * i + lane));
      chosen.count += __popc(above);
    }
  }
  chosen.merge(waiting, v.selected);
  std::int32_t* const to = v.table + (head * v.rows + row) * v.selected;
  if constexpr (Halves == 2)
    write_list(chosen.best[0][0], chosen.best[1][0], v.selected, v.by_index, to);
  else
    write_list(chosen.best[0][0], v.selected, v.by_index, to);
}

__global__ __launch_bounds__(32 * choosing_warps) void choose(const __grid_constant__ view v) {
  choose_of_rows<1>(v);
}
__global__ __launch_bounds__(32 * choosing_warps) void choose_64(const __grid_constant__ view v) {
  choose_of_rows<2>(v);
}

void two_pass(launcher& to, const problem& p, const switches&) {
  view v(p);
  v.chunk_rows = rows_of_chunk(p);
  for (v.first_row = 0; v.first_row < p.rows; v.first_row += v.chunk_rows) {
    run_attention<write_scores>(to, v);
    launch(to, p.selected > 32 ? choose_64 : choose, dim3(blocks_for(v.heads * v.chunk_rows, choosing_warps)),
           dim3(32 * choosing_warps), 0, v);
  }
}

}  // namespace ablate::compression_attention
