// y = (x − mean) · (variance + ε)^−1/2 · γ + β over each row; before it, where there is a residual, s = x +
// scale · branch. A row in min(C / 8, 32) lanes, 16 bytes a load, everything in registers: each byte is read
// once and written once, in one launch. Rows of a group of lanes, one or four, of 64 channels also two, are
// loaded before the first is used. Whether there is a branch is known to the compiler: registers that might
// hold one cost blocks, and three of 256 threads keep memory busy where two do not. A row of 1024 channels is
// four chunks of a lane, whose parameters alone take 64 registers: one at a time, in as many blocks as there
// is room for. Should move: DRAM throughput, to what a copy reaches; with more rows in flight, stalls on
// loads.
#include "kernels/common/configured.h"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::row_norm {

struct layer_view {
  const std::uint16_t *in, *branch;  ///< branch: of residual_layer
  const float *gamma, *beta;
  std::uint16_t *out, *sum;
  long long rows, valid;
  std::uint64_t seed;
  float drop;
};

/// Rows from this one on, as many as a block can tell apart.
__device__ inline int rows_from(long long first, long long end) {
  return static_cast<int>(min(end - first, 1ll << 30));
}

struct layer_config {
  int channels = 64;
  bool adds = false;  ///< a branch, which comes with another tensor
  int rows = 1;       ///< in flight, of a group of lanes

  /// Side by side on a multiprocessor, at least.
  constexpr int blocks() const { return adds || channels > max_channels_of_four_rows ? 1 : 3; }
};

template <class Configured>
__global__ __launch_bounds__(threads_of_block,
                             Configured::config.blocks()) void normalize_layers(layer_view v) {
  constexpr layer_config config = Configured::config;
  using layout = row_layout<config.channels>;
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const long long first =
      static_cast<long long>(blockIdx.x) * (layout::rows_of_block * config.rows) + layout::row();
  // One address each, and places that the compiler knows: registers for more would cost a block.
  const long long lane_at = (first * layout::chunks_of_row + layout::lane()) * chunk;
  const int rows_left = rows_from(first, v.rows), real_left = rows_from(first, v.valid);
  const auto place = [](int r, int c) {
    return r * layout::rows_of_block * layout::chunks_of_row + c * layout::lanes;
  };
  uint4 raw[config.rows][layout::chunks], added[config.adds ? config.rows : 1][layout::chunks];
#pragma unroll
  for (int r = 0; r < config.rows; ++r) {
    const bool is_real = r * layout::rows_of_block < real_left;
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
      raw[r][c] = is_real ? load_chunk(v.in + lane_at, place(r, c)) : uint4{};
      if constexpr (config.adds)
        added[r][c] = is_real ? load_chunk(v.branch + lane_at, place(r, c)) : uint4{};
    }
  }
  float gamma[layout::chunks][chunk], beta[layout::chunks][chunk];
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    load_parameters(gamma[c], v.gamma + layout::chunk_of(c) * chunk);
    load_parameters(beta[c], v.beta + layout::chunk_of(c) * chunk);
  }
#pragma unroll
  for (int r = 0; r < config.rows; ++r) {
    const bool is_there = r * layout::rows_of_block < rows_left;
    float x[layout::chunks][chunk];
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) unpack(x[c], raw[r][c]);
    if constexpr (config.adds) {
      const float scale = branch_scale(v.seed, v.drop, first + r * layout::rows_of_block);
#pragma unroll
      for (int c = 0; c < layout::chunks; ++c) {
        float y[chunk];
        unpack(y, added[r][c]);
#pragma unroll
        for (int i = 0; i < chunk; ++i) x[c][i] = fmaf(y[i], scale, x[c][i]);
        const uint4 rounded = pack(x[c]);
        unpack(x[c], rounded);
        if (is_there) store_chunk(v.sum + lane_at, place(r, c), rounded);
      }
    }
    // All lanes of the warp exchange sums, also those behind the last row.
    const float2 m = moments_of<config.channels>(x);
    const bool is_real = r * layout::rows_of_block < real_left;
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
#pragma unroll
      for (int i = 0; i < chunk; ++i) x[c][i] = fmaf((x[c][i] - m.x) * m.y, gamma[c][i], beta[c][i]);
      if (is_there) store_chunk(v.out + lane_at, place(r, c), is_real ? pack(x[c]) : uint4{});
    }
  }
}

namespace {

template <int Channels, int Rows>
void launch_rows(launcher& to, const problem& p) {
  const layer_view v = {p.in, p.branch, p.gamma, p.beta, p.out, p.sum, p.rows, p.valid, p.seed, p.drop};
  const geometry how = {.grid = dim3(blocks_for(p.rows, Rows * row_layout<Channels>::rows_of_block)),
                        .block = dim3(threads_of_block),
                        .overlaps_previous = p.begins_early};
  if (p.kind == kind::residual_layer)
    launch(to, normalize_layers<configured<layer_config{.channels = Channels, .adds = true, .rows = Rows}>>,
           how, v);
  else
    launch(to, normalize_layers<configured<layer_config{.channels = Channels, .rows = Rows}>>, how, v);
}

}  // namespace

void layer_forward(launcher& to, const problem& p, int rows_in_flight) {
  with_channels(p.channels, [&](auto channels) {
    if constexpr (channels <= max_channels_of_four_rows)
      if (rows_in_flight == 4) return launch_rows<channels, 4>(to, p);
    if constexpr (channels == channels_of_two_rows)
      if (rows_in_flight == 2) return launch_rows<channels, 2>(to, p);
    if (rows_in_flight != 1)
      refuse_launch(
          {"row_norm: ", rows_in_flight, " rows of ", p.channels, " channels at once: no such kernel"});
    launch_rows<channels, 1>(to, p);
  });
}

}  // namespace ablate::row_norm
