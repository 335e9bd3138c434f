// out = x + LN(y): the end of PTv3's position encoding, its residual after the norm and not before it. A
// row in min(C / 8, 32) lanes, 16 bytes a load, everything in registers (row_norm's layout): both rows are
// read once and one is written, in one launch where the published code has two. Should move: DRAM throughput,
// to what a copy reaches.
#include "kernels/network/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::backbone {

struct normed_view {
  const std::uint16_t *x, *y;
  const float *gamma, *beta;
  std::uint16_t* out;
  long long rows;
};

template <int Channels>
__global__ __launch_bounds__(row_norm::threads_of_block) void add_normed(normed_view v) {
  using layout = row_norm::row_layout<Channels>;
  const long long row = static_cast<long long>(blockIdx.x) * layout::rows_of_block + layout::row();
  const bool is_real = row < v.rows;
  float y[layout::chunks][chunk];
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c)
    unpack(y[c], is_real ? load_chunk(v.y, row * layout::chunks_of_row + layout::chunk_of(c)) : uint4{});
  // All lanes of the warp exchange sums, also those past the last row.
  const float2 m = row_norm::moments_of<Channels>(y);
  if (!is_real) return;
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
    float x[chunk], gamma[chunk], beta[chunk];
    unpack(x, load_chunk(v.x, at));
    load_parameters(gamma, v.gamma + layout::chunk_of(c) * chunk);
    load_parameters(beta, v.beta + layout::chunk_of(c) * chunk);
#pragma unroll
    for (int i = 0; i < chunk; ++i) x[i] += fmaf((y[c][i] - m.x) * m.y, gamma[i], beta[i]);
    store_chunk(v.out, at, ablate::pack(x));
  }
}

constexpr int widest_row = 512;  // of PTv3

void add_normed_rows(launcher& to, const problem& p, const network& n, const step& s) {
  normed_view v{};
  v.x = rows_at(p, n, s.skip);
  v.y = rows_at(p, n, s.in);
  v.gamma = p.vectors == nullptr ? nullptr : p.vectors + n.place_at(s.norm).vectors;
  v.beta = v.gamma == nullptr ? nullptr : v.gamma + s.channels;
  v.out = rows_at(p, n, s.out);
  v.rows = n.level_at(s.level).real;
  row_norm::with_channels<widest_row>(s.channels, [&](auto channels) {
    launch(to, add_normed<channels>, dim3(blocks_for(v.rows, row_norm::row_layout<channels>::rows_of_block)),
           dim3(row_norm::threads_of_block), 0, v);
  });
}

}  // namespace ablate::backbone
