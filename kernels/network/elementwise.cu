// Epilogues in separate launches (layer_form::separate), 16 bytes of a row per thread. add: y = x + r.
//   activate: y = GELU(x), exact; or y = SiLU(g) ⊙ u of rows [g, u].
// With little arithmetic, each costs a read and a write of its rows and a launch: the control of fused
// epilogues. Should move, against those: launches, and bytes from L2.
#include "kernels/common/dense/activation.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/network/parts.h"
#include "kernels/network/run.h"

namespace ablate::backbone {

constexpr int elementwise_threads = 256;

struct elementwise_view {
  const std::uint16_t *in, *skipped;  ///< skipped: of add
  std::uint16_t* out;
  long long chunks;
  int chunks_of_row;  ///< of out; gated rows are twice as long
};

__global__ __launch_bounds__(elementwise_threads) void add_elements(elementwise_view v) {
  const long long at = blockIdx.x * static_cast<long long>(elementwise_threads) + threadIdx.x;
  if (at >= v.chunks) return;
  float x[chunk], skipped[chunk];
  unpack(x, load_chunk(v.in, at));
  unpack(skipped, load_chunk(v.skipped, at));
#pragma unroll
  for (int i = 0; i < chunk; ++i) x[i] += skipped[i];
  store_chunk(v.out, at, ablate::pack(x));
}

/// swiglu or gelu_erf.
template <linear::epilogue Behind>
__global__ __launch_bounds__(elementwise_threads) void activate_elements_of_rows(elementwise_view v) {
  constexpr bool is_gated = Behind == linear::epilogue::swiglu;
  const long long at = blockIdx.x * static_cast<long long>(elementwise_threads) + threadIdx.x;
  if (at >= v.chunks) return;
  const long long row = at / v.chunks_of_row, gate_at = is_gated ? at + row * v.chunks_of_row : at;
  float x[chunk];
  unpack(x, load_chunk(v.in, gate_at));
  if constexpr (is_gated) {
    float up[chunk];
    unpack(up, load_chunk(v.in, gate_at + v.chunks_of_row));
#pragma unroll
    for (int i = 0; i < chunk; ++i) x[i] = dense_layers::silu(x[i]) * up[i];
  } else {
#pragma unroll
    for (int i = 0; i < chunk; ++i) x[i] = dense_layers::gelu_erf(x[i]);
  }
  store_chunk(v.out, at, ablate::pack(x));
}

void run_elementwise(launcher& to, const problem& p, const network& n, const step& s) {
  elementwise_view v{};
  v.in = rows_at(p, n, s.in);
  v.skipped = s.skip < 0 ? nullptr : rows_at(p, n, s.skip);
  v.out = rows_at(p, n, s.out);
  v.chunks_of_row = s.channels / chunk;
  v.chunks = n.level_at(s.level).rows * v.chunks_of_row;
  const dim3 blocks(blocks_for(v.chunks, elementwise_threads)), threads(elementwise_threads);
  if (s.kind == step_kind::add)
    launch(to, add_elements, blocks, threads, 0, v);
  else if (s.behind == linear::epilogue::swiglu)
    launch(to, activate_elements_of_rows<linear::epilogue::swiglu>, blocks, threads, 0, v);
  else
    launch(to, activate_elements_of_rows<linear::epilogue::gelu_erf>, blocks, threads, 0, v);
}

}  // namespace ablate::backbone
