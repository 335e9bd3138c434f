// A tile of a product by mma.sync: D[128][N] = Σ_k A[m][k] · B[n][k], operands in steps of 32 of k
// through a ring of four stages in shared memory, brought by cp.async; four warps, 2 × 2, of 64 × N / 2
// each, so that every fragment that is loaded feeds four products. An operand is with k contiguous
// ([m][k]) or with k as its rows ([k][m]): then ldmatrix transposes it.
#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/common/operand_major.h"
#include "kernels/linear/fragments.cuh"

namespace ablate::linear {

using namespace mma;

constexpr int tile_rows = 128, tile_step = 32, tile_stages = 4, tile_threads = 128;

/// An operand's place: element (row, column) at base[row · stride + column].
struct operand {
  const std::uint16_t* base;
  long long rows;  ///< in memory: of m (n), or of k
  int columns;     ///< as above: of k, or of m (n)
};

/// A stage of `Extent` rows of m (n), or, where k is the rows, of 32 rows of `Extent`.
template <operand_major Major, int Extent>
struct staged_operand {
  static constexpr bool k_is_rows = Major == operand_major::mn_major;
  using rows = swizzled_rows<k_is_rows ? Extent : tile_step>;
  static constexpr int stage_rows = k_is_rows ? tile_step : Extent;
  static constexpr unsigned bytes = 2 * tile_step * Extent;
  static constexpr int chunks = stage_rows * static_cast<int>(rows::chunks);

  /// Copies the stage at `first` of m (n), `k`; zeros where the operand ends. `gated`: rows in the order of
  /// gated_row.
  __device__ static void load(unsigned to, const operand& from, long long first, long long k, bool gated) {
#pragma unroll
    for (int i = 0; i < chunks / tile_threads; ++i) {
      const unsigned at = threadIdx.x + i * tile_threads;
      const unsigned row = at / rows::chunks, piece = at % rows::chunks;
      long long in_row = (k_is_rows ? k : first) + row;
      const long long column = (k_is_rows ? first : k) + piece * 8;
      const bool is_there = in_row < from.rows && column < from.columns;
      if (!k_is_rows && gated && is_there)
        in_row = gated_row(static_cast<int>(in_row), static_cast<int>(from.rows));
      copy_async_or_zero(to + rows::place(row, piece),
                         is_there ? from.base + in_row * from.columns + column : from.base, is_there);
    }
  }

  /// Where this lane's address points for a fragment of A of the 16 rows from `first` on.
  __device__ static unsigned place_of_a(unsigned first) {
    const unsigned lane = threadIdx.x % 32;
    // Transposed, the four matrices are m 0 … 7 and 8 … 15 of k 0 … 7, then of k 8 … 15.
    return k_is_rows ? rows::place(lane % 8 + lane / 16 * 8, first / 8 + lane / 8 % 2)
                     : rows::place(first + lane % 16, lane / 16);
  }
  /// The same for two fragments of B, of the 16 columns from `first` on.
  __device__ static unsigned place_of_b(unsigned first) {
    const unsigned lane = threadIdx.x % 32;
    return k_is_rows ? rows::place(lane % 16, first / 8 + lane / 16)
                     : rows::place(first + lane % 8 + lane / 16 * 8, lane / 8 % 2);
  }
  /// Its fragments `step` times 16 of k further.
  __device__ static void load_fragments(unsigned (&r)[4], unsigned stage, unsigned place, int step) {
    if constexpr (k_is_rows)
      load_matrices_transposed(r, stage + place + step * 16 * rows::row_bytes);
    else
      load_matrices(r, stage + rows::moved(place, step));
  }
};

struct tile_config {
  operand_major a = operand_major::k_major, b = operand_major::k_major;
  int columns = 128;  ///< of a tile: 64 or 128
};

template <tile_config Config>
struct tile_product {
  using a_stage = staged_operand<Config.a, tile_rows>;
  using b_stage = staged_operand<Config.b, Config.columns>;
  static constexpr unsigned stage_bytes = a_stage::bytes + b_stage::bytes;
  static constexpr unsigned shared_bytes = tile_stages * stage_bytes;
  static constexpr int pairs = Config.columns / 32;  ///< of groups of 8 columns, of a warp
  using accumulators = float[4][2 * pairs][4];

  /// `of_stage(shared address of A's stage)` is called while the stage is there.
  template <class OfStage>
  __device__ static void run(accumulators& d, unsigned shared, const operand& a, const operand& b,
                             long long first_m, long long first_n, long long k, long long k_end, bool gated,
                             OfStage of_stage) {
    const int steps = static_cast<int>((k_end - k + tile_step - 1) / tile_step);
    const auto bring = [&](int step) {
      if (step < steps) {
        const unsigned to = shared + step % tile_stages * stage_bytes;
        a_stage::load(to, a, first_m, k + static_cast<long long>(step) * tile_step, false);
        b_stage::load(to + a_stage::bytes, b, first_n, k + static_cast<long long>(step) * tile_step, gated);
      }
      copy_commit();
    };
#pragma unroll
    for (int step = 0; step < tile_stages - 1; ++step) bring(step);
    const unsigned warp = threadIdx.x / 32, m_of_warp = warp / 2 * 64,
                   n_of_warp = warp % 2 * (Config.columns / 2);
    unsigned a_places[4], b_places[pairs];
#pragma unroll
    for (int i = 0; i < 4; ++i) a_places[i] = a_stage::place_of_a(m_of_warp + 16 * i);
#pragma unroll
    for (int j = 0; j < pairs; ++j) b_places[j] = b_stage::place_of_b(n_of_warp + 16 * j);
    for (int step = 0; step < steps; ++step) {
      copy_wait<tile_stages - 2>();
      // Every thread's copies are there, and every warp is done with the stage that is filled next.
      __syncthreads();
      bring(step + tile_stages - 1);
      const unsigned stage = shared + step % tile_stages * stage_bytes;
      of_stage(stage);
#pragma unroll
      for (int half = 0; half < tile_step / 16; ++half) {
        unsigned fragments[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) a_stage::load_fragments(fragments[i], stage, a_places[i], half);
#pragma unroll
        for (int j = 0; j < pairs; ++j) {
          unsigned columns[4];
          b_stage::load_fragments(columns, stage + a_stage::bytes, b_places[j], half);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            multiply_add(d[i][2 * j], fragments[i], columns[0], columns[1]);
            multiply_add(d[i][2 * j + 1], fragments[i], columns[2], columns[3]);
          }
        }
      }
    }
  }

  /// Of accumulators d[i][group]: the row and the first column of the warp's 16 rows i, in the tile.
  __device__ static int row_of(int i, int half) {
    return static_cast<int>(threadIdx.x / 64 * 64 + 16 * i + 8 * half + threadIdx.x % 32 / 4);
  }
  __device__ static int first_column() {
    return static_cast<int>(threadIdx.x / 32 % 2) * (Config.columns / 2);
  }
};

}  // namespace ablate::linear
