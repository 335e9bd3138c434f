// The launches of a norm: one for a layer norm with its residual and drop path, one or two for a batch norm
// with its activation; and in the published steps, a launch for each: branch scaled, added, normalized,
// activated.
#include "kernels/row_norm/launches.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::row_norm {

/// Element-wise steps; eight elements a thread.
struct step_view {
  const std::uint16_t *in, *branch;
  std::uint16_t* out;
  long long chunks, valid_chunks;
  int chunks_of_row;
  std::uint64_t seed;
  float drop;
};

/// The published steps of a residual: the branch scaled, then added.
enum class residual_step { scale, add };

template <residual_step Step>
__global__ __launch_bounds__(threads_of_block) void scale_or_add(step_view v) {
  constexpr bool adds = Step == residual_step::add;
  const long long i = blockIdx.x * static_cast<long long>(threads_of_block) + threadIdx.x;
  if (i >= v.chunks) return;
  float x[chunk] = {}, y[chunk];
  if (i < v.valid_chunks) {
    const float scale = adds ? 1 : branch_scale(v.seed, v.drop, i / v.chunks_of_row);
    if constexpr (adds) unpack(x, load_chunk(v.in, i));
    unpack(y, load_chunk(v.branch, i));
#pragma unroll
    for (int k = 0; k < chunk; ++k) x[k] = fmaf(y[k], scale, x[k]);
  }
  store_chunk(v.out, i, pack(x));
}

void rows(launcher& to, const problem& p, const switches& s) {
  if (p.is_backward) return p.is_layer() ? layer_backward(to, p) : batch_backward(to, p);
  const int rows_in_flight = static_cast<int>(s.integer("rows_in_flight"));
  if (p.kind == kind::copy) return copy_rows(to, p, rows_in_flight);
  if (p.is_layer()) return layer_forward(to, p, rows_in_flight);
  batch_forward(to, p, true);
}

void separate(launcher& to, const problem& p, const switches& s) {
  if (!p.is_layer()) return batch_forward(to, p, false);
  const int chunks_of_row = p.channels / chunk;
  step_view v = {p.in,          p.branch, p.scaled_branch, p.rows * chunks_of_row, p.valid * chunks_of_row,
                 chunks_of_row, p.seed,   p.drop};
  const dim3 blocks(blocks_for(v.chunks, threads_of_block));
  if (p.drop > 0) {
    launch(to, scale_or_add<residual_step::scale>, blocks, dim3(threads_of_block), 0, v);
    v.branch = p.scaled_branch;
  }
  v.out = p.sum;
  launch(to, scale_or_add<residual_step::add>, blocks, dim3(threads_of_block), 0, v);
  problem norm = p;
  norm.kind = kind::layer;
  norm.in = p.sum;
  layer_forward(to, norm, static_cast<int>(s.integer("rows_in_flight")));
}

void normalize(launcher& to, const problem& p) {
  if (p.is_backward) return p.is_layer() ? layer_backward(to, p) : batch_backward(to, p);
  if (!p.is_layer()) return batch_forward(to, p, true);
  // Four rows at once leave multiprocessors without a block where rows are few.
  with_channels(p.channels, [&](auto channels) {
    const auto blocks = blocks_for(p.rows, 4 * row_layout<channels>::rows_of_block);
    const bool fill_the_device = 2 * blocks >= static_cast<unsigned>(to.device().multiprocessors);
    layer_forward(to, p, channels <= max_channels_of_four_rows && fill_the_device ? 4 : 1);
  });
}

}  // namespace ablate::row_norm
