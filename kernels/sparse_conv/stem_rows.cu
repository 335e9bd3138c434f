// The stem: Y[j] = Σ_q X[T[q][j]] · W_qᵀ, 4 → 32 channels, 125 offsets. A warp handles an out row, a lane an
// out channel: 4 multiply-adds a lane and neighbor are too few for a tensor core, and a row has a few
// neighbors of 125. Its masks say which; the lanes look them up and fetch their 8 bytes all at once, then the
// warp goes through them, each lane with its own channel's weights.
//
// The 32 KB of weights are in shared memory, filled once a block (weights=shared), or are read through L1.
// Should move: L1 sectors a request, since the 32 channels' weights of an offset are 1000 bytes apart. A grid
// of fewer blocks (`blocks_per_sm`) fills them less often, and has fewer warps in flight.
#include <cuda_bf16.h>

#include <cstring>

#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/switches.h"
#include "kernels/sparse_conv/launches.h"
#include "kernels/sparse_conv/weight_gradient.h"

namespace ablate::sparse_conv {

constexpr int stem_offsets = 125, stem_words = 4, stem_warps = 8;
constexpr int stem_pitch = stem_outputs + 1;  // an offset's weights and a gap, or filling them would conflict

/// Pointers to the four bf16 of an in row, or of an out channel's weights of an offset.
struct stem_view {
  const uint2 *x, *weights;
  const std::int32_t* table;
  const std::uint32_t* masks;
  __nv_bfloat16* y;
  int rows;
};

struct stem_memory {
  unsigned char offsets[stem_warps][128];  ///< of the row's neighbors
};

__device__ inline float4 four_elements(uint2 bits) {
  __nv_bfloat162 low, high;
  memcpy(&low, &bits.x, sizeof low);
  memcpy(&high, &bits.y, sizeof high);
  const float2 a = __bfloat1622float2(low), b = __bfloat1622float2(high);
  return {a.x, a.y, b.x, b.y};
}

/// The row's offsets, ascending; their number.
__device__ inline int list_offsets(const stem_view& s, int row, unsigned char* offsets) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned own = lane < stem_words ? s.masks[static_cast<long long>(lane) * s.rows + row] : 0;
  int count = 0;
#pragma unroll
  for (int word = 0; word < stem_words; ++word) {
    const unsigned mask = __shfl_sync(~0u, own, word);
    if ((mask >> lane & 1) != 0)
      offsets[count + __popc(mask & ((1u << lane) - 1))] = static_cast<unsigned char>(word * 32 + lane);
    count += __popc(mask);
  }
  __syncwarp();
  return count;
}

template <class Weights>
__device__ inline float stem_output(const stem_view& s, int row, int count, const unsigned char* offsets,
                                    Weights weights_of) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
  for (int first = 0; first < count; first += 32) {
    int offset = 0;
    uint2 x{};
    if (first + lane < count) {
      offset = offsets[first + lane];
      x = s.x[s.table[static_cast<long long>(offset) * s.rows + row]];
    }
    for (int i = 0; i < min(32, count - first); ++i) {
      const float4 w = four_elements(weights_of(__shfl_sync(~0u, offset, i)));
      const float4 of_row = four_elements({__shfl_sync(~0u, x.x, i), __shfl_sync(~0u, x.y, i)});
      sum = fmaf(of_row.x, w.x, sum);
      sum = fmaf(of_row.y, w.y, sum);
      sum = fmaf(of_row.z, w.z, sum);
      sum = fmaf(of_row.w, w.w, sum);
    }
  }
  return sum;
}

/// Where each row's weights are read: in shared memory, or through L1.
enum class stem_weights { shared, through_l1 };

template <stem_weights Weights>
__global__ __launch_bounds__(32 * stem_warps) void multiply_stem_rows(stem_view s) {
  constexpr bool in_shared_memory = Weights == stem_weights::shared;
  __shared__ stem_memory memory;
  __shared__ uint2 weights[in_shared_memory ? stem_offsets * stem_pitch : 1];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if constexpr (in_shared_memory) {
    for (int i = static_cast<int>(threadIdx.x); i < stem_offsets * stem_outputs; i += 32 * stem_warps)
      weights[i % stem_offsets * stem_pitch + i / stem_offsets] = s.weights[i];
    __syncthreads();
  }
  for (int row = static_cast<int>(blockIdx.x) * stem_warps + warp; row < s.rows;
       row += static_cast<int>(gridDim.x) * stem_warps) {
    unsigned char* const offsets = memory.offsets[warp];
    const int count = list_offsets(s, row, offsets);
    const float sum = stem_output(s, row, count, offsets, [&](int offset) {
      return in_shared_memory ? weights[offset * stem_pitch + lane] : s.weights[lane * stem_offsets + offset];
    });
    s.y[static_cast<long long>(row) * stem_outputs + lane] = __float2bfloat16_rn(sum);
    __syncwarp();  // the list is free
  }
}

struct stem_gradient_view {
  const piece* splits;
  const std::int32_t *in_rows, *out_rows;
  const __nv_bfloat16 *x, *out_gradient;
  float *gradient, *parts;
};

constexpr int stem_shares = 4;  // of a split's pairs, added up at the end

/// A block a split: a lane an out channel, a warp an in channel of every fourth pair.
__global__ __launch_bounds__(32 * stem_channels *
                             stem_shares) void multiply_stem_gradients(stem_gradient_view s) {
  __shared__ float sums[stem_shares][stem_channels][stem_outputs];
  const piece split = s.splits[blockIdx.x];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int channel = warp % stem_channels, share = warp / stem_channels;
  float sum = 0;
#pragma unroll 4
  for (int pair = split.first + share; pair < split.first + split.count; pair += stem_shares) {
    const float x = __bfloat162float(s.x[static_cast<long long>(s.in_rows[pair]) * stem_channels + channel]);
    const float y =
        __bfloat162float(s.out_gradient[static_cast<long long>(s.out_rows[pair]) * stem_outputs + lane]);
    sum = fmaf(x, y, sum);
  }
  sums[share][channel][lane] = sum;
  __syncthreads();
  if (share != 0) return;
  for (int other = 1; other < stem_shares; ++other) sum += sums[other][channel][lane];
  float* const to =
      split.part < 0 ? s.gradient + (lane * stem_offsets + split.list) * stem_channels
                     : s.parts + (static_cast<long long>(split.part) * stem_outputs + lane) * stem_channels;
  to[channel] = sum;
}

void stem_rows(launcher& to, const problem& p, const switches& s) {
  if (p.forward) {
    const stem_view view{reinterpret_cast<const uint2*>(p.x),
                         reinterpret_cast<const uint2*>(p.weights),
                         p.table,
                         p.masks,
                         reinterpret_cast<__nv_bfloat16*>(p.y),
                         static_cast<int>(p.rows)};
    const auto per_sm = static_cast<unsigned>(s.has("blocks_per_sm") ? s.integer("blocks_per_sm") : 4);
    const unsigned blocks =
        std::min(blocks_for(p.rows, stem_warps), per_sm * static_cast<unsigned>(to.device().multiprocessors));
    launch(to,
           s.word("weights") == "shared" ? multiply_stem_rows<stem_weights::shared>
                                         : multiply_stem_rows<stem_weights::through_l1>,
           dim3(blocks), dim3(32 * stem_warps), 0, view);
  }
  if (p.weight_gradient) {
    const stem_gradient_view view{p.splits,
                                  p.in_rows,
                                  p.out_rows,
                                  reinterpret_cast<const __nv_bfloat16*>(p.x),
                                  reinterpret_cast<const __nv_bfloat16*>(p.out_gradient),
                                  p.weight_gradient_out,
                                  p.parts};
    launch(to, multiply_stem_gradients, dim3(static_cast<unsigned>(p.split_count)),
           dim3(32 * stem_channels * stem_shares), 0, view);
    add_parts(to, p);
  }
}

}  // namespace ablate::sparse_conv
