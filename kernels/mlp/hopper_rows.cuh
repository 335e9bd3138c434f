// What is around the products of the fused MLP on Hopper: the block's shared memory, what is brought
// there, rows normalized, and Y.
#pragma once

#include <cuda.h>

#include "kernels/common/dense/shared_row_norm.cuh"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/staged_rows.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

constexpr int max_hopper_groups = 3;

/// What the fused kernel is made for.
struct hopper_config {
  int channels = 64;  ///< of a row: 64 or 128
  mlp::kind kind = mlp::kind::gelu;
  int groups = 1;  ///< warpgroups with rows of their own
};

/// The block's shared memory. It names the kernel too, as common/configured.h has it.
template <hopper_config Config>
struct hopper_memory {
  static constexpr int channels = Config.channels, groups = Config.groups;
  static constexpr bool is_gated = Config.kind == kind::swiglu;
  /// Three groups need more registers than so many threads have alike: the thread that copies is in a group
  /// too, which gives its own away.
  static constexpr bool moves_registers = groups == 3;
  static constexpr int consumers = 128 * groups, threads = consumers + (moves_registers ? 128 : 32);
  /// Hidden columns of a step: a thread has 32 sums of the first product, gated or not.
  static constexpr int step_columns = is_gated ? 32 : 64;
  static constexpr int hidden = 4 * channels, steps = hidden / step_columns, panels = channels / 64;
  static constexpr int first_rows = (is_gated ? 2 : 1) * step_columns;
  using second_swizzle = hopper::swizzle<2 * step_columns>;
  static constexpr unsigned panel_bytes = first_rows * 128, first_bytes = panels * panel_bytes,
                            second_bytes = channels * 2 * step_columns;
  static constexpr unsigned rows_bytes = panels * hopper::staged_panel_bytes;
  static constexpr int stages = channels == 64 ? 4 : 3;
  alignas(1024) unsigned char x[groups][rows_bytes];  ///< and Y
  alignas(1024) unsigned char normalized[groups][rows_bytes];
  alignas(1024) unsigned char first[stages][first_bytes];
  alignas(1024) unsigned char second[stages][second_bytes];
  static constexpr int first_biases = (is_gated ? 2 : 1) * hidden;
  alignas(16) float first_bias[first_biases], second_bias[channels];
  hopper::barrier x_full[groups], full[stages], empty[stages];
};

struct hopper_view {
  const float *gamma, *beta, *first_bias, *second_bias;
  int rows;
  bool begins_early;  ///< then the first weights are brought while the kernel in front still runs
};

/// Tensor maps: X and Y in boxes of 64 rows × 64 columns, the weights in boxes of a step.
struct hopper_maps {
  CUtensorMap x, first, second, y;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// One thread: those of some steps.
template <class Memory>
__device__ void bring_weights(const hopper_maps& maps, Memory& shared, hopper::ring_position& at, int first,
                              int end) {
  using namespace cuda::ptx;
#pragma unroll 1  // few instructions: they come from memory as well
  for (int step = first; step < end; ++step) {
    hopper::barrier& full = shared.full[at.stage];
    hopper::wait(shared.empty[at.stage], at.parity ^ 1);
    hopper::arrive_expecting(full, Memory::first_bytes + Memory::second_bytes);
    for (int panel = 0; panel < Memory::panels; ++panel) {
      const int of_first[] = {64 * panel, 0, 0, step * (Memory::step_columns / 8)};
      cp_async_bulk_tensor(space_cluster, space_global, shared.first[at.stage] + panel * Memory::panel_bytes,
                           &maps.first, of_first, &full);
    }
    const int of_second[] = {step * Memory::step_columns, 0};
    cp_async_bulk_tensor(space_cluster, space_global, shared.second[at.stage], &maps.second, of_second,
                         &full);
    at.advance<Memory::stages>();
  }
}

/// One thread: the rows of all groups, then the weights, step by step; or as many steps as there is room for
/// ahead of the rows.
template <class Memory>
__device__ void bring(const hopper_maps& maps, const hopper_view& v, Memory& shared) {
  using namespace cuda::ptx;
  static_assert(Memory::steps >= Memory::stages);
  const int steps_ahead = v.begins_early ? Memory::stages : 0;
  hopper::ring_position at;
  bring_weights(maps, shared, at, 0, steps_ahead);
  wait_for_previous_kernel();
  for (int group = 0; group < Memory::groups; ++group) {
    hopper::arrive_expecting(shared.x_full[group], Memory::rows_bytes);
    // Zeros past the last row; a group that is after it altogether reads the first rows and stores
    // nothing.
    const int row = (static_cast<int>(blockIdx.x) * Memory::groups + group) * hopper::staged_rows;
    for (int panel = 0; panel < Memory::panels; ++panel) {
      const int of_x[] = {64 * panel, row < v.rows ? row : 0};
      cp_async_bulk_tensor(space_cluster, space_global, shared.x[group] + panel * hopper::staged_panel_bytes,
                           &maps.x, of_x, &shared.x_full[group]);
    }
  }
  bring_weights(maps, shared, at, steps_ahead, Memory::steps);
}

/// Layer norm of the warp's 16 rows of X, once it is there: four at a time, eight lanes a row.
template <int Panels>
__device__ void normalize(unsigned char* normalized, const unsigned char* x, hopper::barrier& x_full,
                          const float* gamma, const float* beta) {
  const unsigned lane = threadIdx.x % 32, row_of_warp = threadIdx.x / 32 % 4 * 16 + lane / 8;
  float g[Panels][chunk], b[Panels][chunk];
  load_shared_parameters(g, gamma);
  load_shared_parameters(b, beta);
  hopper::wait(x_full, 0);
#pragma unroll 2
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = row_of_warp + 4 * i;
    float z[Panels][chunk];
#pragma unroll
    for (int panel = 0; panel < Panels; ++panel)
      unpack(z[panel], *reinterpret_cast<const uint4*>(x + hopper::staged_chunk(row, 8 * panel + lane % 8)));
    normalize_shared_row(z, g, b);
#pragma unroll
    for (int panel = 0; panel < Panels; ++panel)
      *reinterpret_cast<uint4*>(normalized + hopper::staged_chunk(row, 8 * panel + lane % 8)) =
          pack(z[panel]);
  }
}

/// Copies fp32 parameters, by so many threads; the caller waits for its own copies, and for the other
/// threads.
template <int Count>
__device__ void bring_parameters(float (&to)[Count], const float* from, int threads) {
  for (int i = static_cast<int>(threadIdx.x); i < Count / 4; i += threads)
    mma::copy_async(mma::shared_address(to + 4 * i), from + 4 * i);
}

/// Y = X + the sums of the second product + their biases, in X's place.
template <int Count>
__device__ void add_to_rows(unsigned char* x, const float (&y)[Count], const float* biases) {
  const unsigned address = hopper::shared_address(x);
  const float* const bias = biases + threadIdx.x % 4 * 2;
#pragma unroll
  for (int pair = 0; pair < Count / 8; ++pair) {
    unsigned words[4];
    hopper::load_staged(words, address, pair);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 b = *reinterpret_cast<const float2*>(bias + 16 * pair + i / 2 * 8);
      words[i] = packed(y[8 * pair + 2 * i] + b.x + __uint_as_float(words[i] << 16),
                        y[8 * pair + 2 * i + 1] + b.y + __uint_as_float(words[i] & 0xffff0000u));
    }
    hopper::store_staged(words, address, pair);
  }
}

#endif

}  // namespace ablate::mlp
