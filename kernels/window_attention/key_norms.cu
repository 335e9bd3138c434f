// The greatest squared norm of 128 neighboring keys of a head: what tells whether softmax needs a maximum.
// The list of what must be done again is emptied on the way.
#include "kernels/window_attention/key_norms.cuh"

#include "kernels/window_attention/redo_list.cuh"

namespace ablate::window_attention {

constexpr int norm_rows = 128;

/// blockIdx: x rows, y head, z batch; a thread a key.
__global__ __launch_bounds__(norm_rows) void measure_rows(view v, float* norms) {
  __shared__ float greatest[norm_rows / 32];
  const long long row = static_cast<long long>(blockIdx.x) * norm_rows + threadIdx.x;
  const auto* const key =
      reinterpret_cast<const uint4*>(v.k + ((blockIdx.z * v.tokens + row) * v.heads + blockIdx.y) * v.width);
  float sum = 0;
  for (int i = 0; i < v.width / 8; ++i) {
    const uint4 words = key[i];
    for (const unsigned word : {words.x, words.y, words.z, words.w}) {
      const float low = __uint_as_float(word << 16), high = __uint_as_float(word & 0xffff0000u);
      sum = fmaf(low, low, fmaf(high, high, sum));
    }
  }
  // A norm that is no number must not look small.
  if (!(sum <= INFINITY)) sum = INFINITY;
  for (int lane = 16; lane > 0; lane /= 2) sum = fmaxf(sum, __shfl_xor_sync(~0u, sum, lane));
  if (threadIdx.x % 32 == 0) greatest[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  const long long place = (blockIdx.z * v.heads + blockIdx.y) * (v.tokens / norm_rows) + blockIdx.x;
  norms[place] = fmaxf(fmaxf(greatest[0], greatest[1]), fmaxf(greatest[2], greatest[3]));
  redo_list(v).empty(place);
}

void measure_keys(launcher& to, const problem& p) {
  launch(
      to, measure_rows,
      dim3(blocks_for(p.tokens, norm_rows), static_cast<unsigned>(p.heads), static_cast<unsigned>(p.batches)),
      dim3(norm_rows), 0, view(p, norm_rows), static_cast<float*>(p.scratch));
}

}  // namespace ablate::window_attention
