// The whole MLP in one launch by mma.sync, for rows of at most 128 channels: Y = X + act(LN(X) · W1ᵀ + b1) ·
// W2ᵀ + b2. A block holds 64 rows of X in shared memory and normalizes them there; a warp has 16 of them, as
// fragments in registers. Of the hidden layer 64 columns at a time are computed: their accumulators,
// activated and packed, are the fragments that the second product takes, without passing through memory of
// any kind; its accumulators are all of Y's columns. W1 and W2 come in steps of 64 hidden columns through two
// stages. Should move: DRAM bytes, to X and Y once; L2 bytes become the weights', once a block.
#include "kernels/common/dense/fast_activation.cuh"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/linear/resident_rows.cuh"
#include "kernels/mlp/launches.h"
#include "kernels/mlp/parts.h"

namespace ablate::mlp {

using namespace ablate::mma;
using linear::panel_rows;

struct fused_view {
  linear::epilogue_view out;  ///< the second layer's
  const std::uint16_t *x, *first, *second;
  const float *gamma, *beta, *first_bias;
};

inline fused_view fused_view_of(const problem& p) {
  return {{p.second_bias, p.x, p.y, p.rows, p.channels, 0, linear::epilogue::residual},
          p.x,
          p.first,
          p.second,
          p.gamma,
          p.beta,
          p.first_bias};
}

/// A stage: the rows of W1 of a step, in panels of 64 channels (of swiglu in the order of linear::gated_row),
/// and the step's columns of W2's rows.
template <int Channels, kind Kind>
struct weight_stage {
  static constexpr int hidden = 4 * Channels, steps = hidden / hidden_step;
  static constexpr int first_rows = (is_gated<Kind> ? 2 : 1) * hidden_step, panels = (Channels + 63) / 64;
  static constexpr unsigned panel_bytes = first_rows * panel_rows::row_bytes;
  static constexpr unsigned first_bytes = panels * panel_bytes,
                            bytes = first_bytes + Channels * panel_rows::row_bytes;

  __device__ static void load(unsigned to, const fused_view& v, int step) {
    constexpr int pieces = Channels / 8;
    for (int at = static_cast<int>(threadIdx.x); at < first_rows * pieces; at += linear::tile_threads) {
      const int row = at / pieces, piece = at % pieces;
      const int of_w1 = is_gated<Kind> ? step * hidden_step + row / 16 * 8 + row % 8 + row / 8 % 2 * hidden
                                       : step * hidden_step + row;
      copy_async(to + static_cast<unsigned>(piece / 8) * panel_bytes +
                     panel_rows::place(static_cast<unsigned>(row), static_cast<unsigned>(piece % 8)),
                 v.first + of_w1 * Channels + piece * 8);
    }
    for (int at = static_cast<int>(threadIdx.x); at < Channels * 8; at += linear::tile_threads) {
      const int row = at / 8, piece = at % 8;
      copy_async(
          to + first_bytes + panel_rows::place(static_cast<unsigned>(row), static_cast<unsigned>(piece)),
          v.second + row * hidden + step * hidden_step + piece * 8);
    }
  }
};

template <int Channels, kind Kind>
__global__ __launch_bounds__(linear::tile_threads) void multiply_whole_mlp(fused_view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using stage = weight_stage<Channels, Kind>;
  constexpr int first_tiles = stage::first_rows / 8;  // of 8 columns, of a step of the first product
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const unsigned shared = shared_address(raw), ring = shared + linear::resident_bytes(Channels);
  const long long first_row = static_cast<long long>(blockIdx.x) * linear::resident_rows;
  linear::bring_rows(shared, v.x, first_row, v.out.rows, Channels);
  copy_commit();
  stage::load(ring, v, 0);
  copy_commit();
  copy_wait<1>();
  __syncthreads();
  linear::normalize_resident(raw, v.gamma, v.beta, Channels);
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, row_of_warp = threadIdx.x / 32 * 16;
  unsigned rows[Channels / 16][4];
#pragma unroll
  for (int k = 0; k < Channels / 16; ++k)
    load_matrices(rows[k], shared + linear::resident_fragment(row_of_warp, k));
  const unsigned by_columns = panel_rows::place_by_columns(lane);

  float y[Channels / 8][4] = {};
#pragma unroll 1
  for (int step = 0; step < stage::steps; ++step) {
    if (step + 1 < stage::steps) stage::load(ring + (step + 1) % 2 * stage::bytes, v, step + 1);
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    const unsigned first = ring + step % 2 * stage::bytes, second = first + stage::first_bytes;
    float h[first_tiles][4] = {};
#pragma unroll
    for (int k = 0; k < Channels / 16; ++k)
#pragma unroll
      for (int j = 0; j < first_tiles / 2; ++j) {
        unsigned columns[4];
        load_matrices(columns, first + static_cast<unsigned>(k / 4) * stage::panel_bytes +
                                   panel_rows::moved(by_columns, static_cast<unsigned>(k % 4)) +
                                   static_cast<unsigned>(j) * 16 * panel_rows::row_bytes);
        multiply_add(h[2 * j], rows[k], columns[0], columns[1]);
        multiply_add(h[2 * j + 1], rows[k], columns[2], columns[3]);
      }
    // Two neighboring tiles of 8 hidden columns are a fragment of the second product.
    const float* const bias = v.first_bias + step * hidden_step + 2 * (lane % 4);
#pragma unroll
    for (int k = 0; k < hidden_step / 16; ++k) {
      unsigned hidden[4];
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        const int group = 2 * k + tile;
        const float2 b = *reinterpret_cast<const float2*>(bias + 8 * group);
        float z[4];
        if constexpr (is_gated<Kind>) {
          const float2 of_up = *reinterpret_cast<const float2*>(bias + stage::hidden + 8 * group);
#pragma unroll
          for (int i = 0; i < 4; ++i)
            z[i] = fast_silu(h[2 * group][i] + (i % 2 == 0 ? b.x : b.y)) *
                   (h[2 * group + 1][i] + (i % 2 == 0 ? of_up.x : of_up.y));
        } else {
#pragma unroll
          for (int i = 0; i < 4; ++i) z[i] = fast_gelu_erf(h[group][i] + (i % 2 == 0 ? b.x : b.y));
        }
        hidden[2 * tile] = packed(z[0], z[1]);
        hidden[2 * tile + 1] = packed(z[2], z[3]);
      }
#pragma unroll
      for (int j = 0; j < Channels / 16; ++j) {
        unsigned columns[4];
        load_matrices(columns, second + panel_rows::moved(by_columns, static_cast<unsigned>(k)) +
                                   static_cast<unsigned>(j) * 16 * panel_rows::row_bytes);
        multiply_add(y[2 * j], hidden, columns[0], columns[1]);
        multiply_add(y[2 * j + 1], hidden, columns[2], columns[3]);
      }
    }
    // Every warp is done with the stage that the step after the next fills.
    __syncthreads();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half)
    linear::finish_plain_row<Channels / 8>(v.out, first_row + row_of_warp + 8 * half + lane / 4, 0,
                                           [&](int group, int k) { return y[group][2 * half + k]; });
}

void fused_mma(launcher& to, const problem& p, const switches&) {
  const auto run = [&](auto channels, auto of_kind) {
    launch(to, multiply_whole_mlp<channels, of_kind>,
           {.grid = dim3(blocks_for(p.rows, linear::resident_rows)),
            .block = dim3(linear::tile_threads),
            .dynamic_shared_bytes =
                linear::resident_bytes(channels) + 2 * weight_stage<channels, of_kind>::bytes,
            .overlaps_previous = p.begins_early},
           fused_view_of(p));
  };
  const auto with_kind = [&](auto channels) {
    if (p.kind == kind::swiglu)
      run(channels, std::integral_constant<kind, kind::swiglu>{});
    else
      run(channels, std::integral_constant<kind, kind::gelu>{});
  };
  switch (p.channels) {
    case 32:
      return with_kind(std::integral_constant<int, 32>{});
    case 64:
      return with_kind(std::integral_constant<int, 64>{});
    case 128:
      return with_kind(std::integral_constant<int, 128>{});
    default:
      refuse_launch({"mlp: rows of more than 128 channels do not fit a block's registers"});
  }
}

}  // namespace ablate::mlp
