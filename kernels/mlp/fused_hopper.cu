// The whole MLP in one launch on Hopper, for rows of 64 or 128 channels: fused_mma.cu's composition with
// warpgroup products. A block is one warpgroup with 64 rows and a thread that brings the weights by TMA, 64
// hidden columns at a time (gated: 32) through a ring of two stages. Both products take their left factor
// from registers: the normalized rows, and the hidden columns, whose accumulators, activated and packed, are
// fragments. Two blocks a multiprocessor, so that one multiplies while the other activates. Should move: the
// tensor pipe's activity; bytes of shared memory read.
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/linear/resident_rows.cuh"
#include "kernels/mlp/parts.h"

namespace ablate::mlp {

constexpr int hopper_consumers = 128, hopper_threads = hopper_consumers + 32, hopper_stages = 2;
static_assert(hopper_consumers == linear::tile_threads,
              "bring_rows and normalize_resident are written for as many");

template <int Channels, bool Gated>
struct hopper_memory {
  /// Hidden columns of a step: a thread has 32 sums of the first product, gated or not.
  static constexpr int step_columns = Gated ? 32 : 64;
  static constexpr int hidden = 4 * Channels, steps = hidden / step_columns, panels = Channels / 64;
  static constexpr int first_rows = (Gated ? 2 : 1) * step_columns;
  using second_swizzle = hopper::swizzle<2 * step_columns>;
  static constexpr unsigned panel_bytes = first_rows * 128, first_bytes = panels * panel_bytes,
                            second_bytes = Channels * 2 * step_columns;
  alignas(1024) unsigned char rows[linear::resident_bytes(Channels)];
  alignas(1024) unsigned char first[hopper_stages][first_bytes];
  alignas(1024) unsigned char second[hopper_stages][second_bytes];
  hopper::barrier full[hopper_stages], empty[hopper_stages];
};

struct hopper_view {
  linear::epilogue_view out;  ///< the second layer's
  const std::uint16_t* x;
  const float *gamma, *beta, *first_bias;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// One thread.
template <class Memory>
__device__ void bring_weights(const CUtensorMap& first, const CUtensorMap& second, Memory& shared) {
  using namespace cuda::ptx;
  hopper::ring_position at;
  for (int step = 0; step < Memory::steps; ++step) {
    hopper::barrier& full = shared.full[at.stage];
    hopper::wait(shared.empty[at.stage], at.parity ^ 1);
    hopper::arrive_expecting(full, Memory::first_bytes + Memory::second_bytes);
    for (int panel = 0; panel < Memory::panels; ++panel) {
      const int of_first[] = {64 * panel, 0, 0, step * (Memory::step_columns / 8)};
      cp_async_bulk_tensor(space_cluster, space_global, shared.first[at.stage] + panel * Memory::panel_bytes,
                           &first, of_first, &full);
    }
    const int of_second[] = {step * Memory::step_columns, 0};
    cp_async_bulk_tensor(space_cluster, space_global, shared.second[at.stage], &second, of_second, &full);
    at.advance<hopper_stages>();
  }
}

/// The hidden columns of a step, 8 a group, as the left factor of the second product, from their sums without
/// biases.
template <bool Gated, int Groups, int Count>
__device__ void activate(unsigned (&fragments)[2 * Groups], const float (&h)[Count], const float* bias,
                         int hidden) {
#pragma unroll
  for (int group = 0; group < Groups; ++group) {
    const float2 b = *reinterpret_cast<const float2*>(bias + 8 * group);
    float z[4];
    if constexpr (Gated) {
      const float2 of_up = *reinterpret_cast<const float2*>(bias + hidden + 8 * group);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        z[i] = dense_layers::silu(h[8 * group + i] + (i % 2 == 0 ? b.x : b.y)) *
               (h[8 * group + 4 + i] + (i % 2 == 0 ? of_up.x : of_up.y));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) z[i] = dense_layers::gelu_erf(h[4 * group + i] + (i % 2 == 0 ? b.x : b.y));
    }
    fragments[2 * group] = packed(z[0], z[1]);
    fragments[2 * group + 1] = packed(z[2], z[3]);
  }
}

template <int Channels, bool Gated>
__device__ void multiply_rows(const hopper_view& v, hopper_memory<Channels, Gated>& shared) {
  using namespace hopper;
  using memory = hopper_memory<Channels, Gated>;
  using swizzle = hopper::swizzle<128>;
  constexpr int all_rows = 1;  // the named barrier of the warpgroup
  const long long first_row = static_cast<long long>(blockIdx.x) * linear::resident_rows;
  const unsigned lane = threadIdx.x % 32, row_of_warp = threadIdx.x / 32 * 16;
  linear::bring_rows(mma::shared_address(shared.rows), v.x, first_row, v.out.rows, Channels);
  mma::copy_commit();
  mma::copy_wait<0>();
  named_barrier_wait(all_rows, hopper_consumers);
  linear::normalize_resident(shared.rows, v.gamma, v.beta, Channels);
  named_barrier_wait(all_rows, hopper_consumers);
  float y[Channels / 2];
  ring_position at;
#pragma unroll 1
  for (int step = 0; step < memory::steps; ++step) {
    // Read anew for each step: kept over the loop, the fragments of 64 gated channels share registers with
    // `hidden` (ptxas of CUDA 13.0), and from the second step on the products are wrong.
    unsigned rows[Channels / 16][4];
#pragma unroll
    for (int k = 0; k < Channels / 16; ++k)
      mma::load_matrices(rows[k],
                         mma::shared_address(shared.rows) + linear::resident_fragment(row_of_warp, k));
    float h[memory::first_rows / 2];
    wait(shared.full[at.stage], at.parity);
    const std::uint64_t first = matrix_descriptor<swizzle>(hopper::shared_address(shared.first[at.stage])),
                        second = matrix_descriptor<typename memory::second_swizzle>(
                            hopper::shared_address(shared.second[at.stage]));
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < Channels / 16; ++k)
      wgmma<memory::first_rows>::template register_a<operand_major::k_major>(
          h, rows[k], moved_by(first, static_cast<unsigned>(k / 4) * memory::panel_bytes + 32 * (k % 4)),
          k > 0);
    wgmma_commit();
    wgmma_wait<0>();
    keep_behind(h);
    constexpr int groups = memory::step_columns / 8;
    unsigned hidden[2 * groups];
    activate<Gated, groups>(hidden, h, v.first_bias + step * memory::step_columns + 2 * (lane % 4),
                            memory::hidden);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < groups / 2; ++k)
      wgmma<Channels>::template register_a<operand_major::k_major>(
          y, hidden + 4 * k, moved_by(second, 32 * k), step > 0 || k > 0);
    wgmma_commit();
    wgmma_wait<0>();
    keep_behind(y);
    if (lane == 0) arrive(shared.empty[at.stage]);
    at.template advance<hopper_stages>();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half)
    linear::finish_plain_row<Channels / 8>(v.out, first_row + row_of_warp + 8 * half + lane / 4, 0,
                                           [&](int group, int k) { return y[4 * group + 2 * half + k]; });
}

#endif

template <int Channels, bool Gated>
__global__ __launch_bounds__(hopper_threads,
                             2) void multiply_whole_mlp_on_hopper(const __grid_constant__ CUtensorMap first,
                                                                  const __grid_constant__ CUtensorMap second,
                                                                  hopper_view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  using memory = hopper_memory<Channels, Gated>;
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<memory*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    for (int s = 0; s < hopper_stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], hopper_consumers / 32);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  if (threadIdx.x < hopper_consumers)
    multiply_rows<Channels, Gated>(v, shared);
  else if (threadIdx.x == hopper_consumers)
    bring_weights<memory>(first, second, shared);
#endif
}

/// W1's rows of a step as they follow each other, 64 of them; or 8 of each half in turn, 32 of each.
CUtensorMap map_of_first(const launcher& to, const problem& p, int step_columns) {
  const auto c = static_cast<std::size_t>(p.channels),
             halves = static_cast<std::size_t>(p.kind == kind::swiglu ? 2 : 1),
             groups = static_cast<std::size_t>(p.hidden_columns()) / 8;
  const std::size_t sizes[] = {c, 8, halves, groups};
  const std::size_t strides[] = {2 * c, 2 * c * 8 * groups, 2 * c * 8};
  const unsigned box[] = {64, 8, static_cast<unsigned>(halves), static_cast<unsigned>(step_columns) / 8};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(p.first), sizes, strides, box, 128});
}

/// A step's columns of all rows of W2.
CUtensorMap map_of_second(const launcher& to, const problem& p, int step_columns) {
  const auto h = static_cast<std::size_t>(p.hidden_columns());
  const std::size_t sizes[] = {h, static_cast<std::size_t>(p.channels)};
  const std::size_t strides[] = {2 * h};
  const unsigned box[] = {static_cast<unsigned>(step_columns), static_cast<unsigned>(p.channels)};
  return hopper::tensor_map(to,
                            {const_cast<std::uint16_t*>(p.second), sizes, strides, box, 2 * step_columns});
}

void fused_wgmma(launcher& to, const problem& p, const switches&) {
  if (p.reads_back) return compare_with_plain(to, p);
  const hopper_view v = {{p.second_bias, p.x, p.y, p.rows, p.channels, 0, linear::epilogue::residual},
                         p.x,
                         p.gamma,
                         p.beta,
                         p.first_bias};
  const auto run = [&](auto channels, auto gated) {
    using memory = hopper_memory<channels, gated>;
    launch(to, multiply_whole_mlp_on_hopper<channels, gated>, dim3(blocks_for(p.rows, linear::resident_rows)),
           dim3(hopper_threads), sizeof(memory) + 1024, map_of_first(to, p, memory::step_columns),
           map_of_second(to, p, memory::step_columns), v);
  };
  const auto with_kind = [&](auto channels) {
    p.kind == kind::swiglu ? run(channels, std::true_type{}) : run(channels, std::false_type{});
  };
  if (p.channels == 64) return with_kind(std::integral_constant<int, 64>{});
  if (p.channels == 128) return with_kind(std::integral_constant<int, 128>{});
  throw launch_error("mlp: fused_wgmma takes rows of 64 or 128 channels");
}

}  // namespace ablate::mlp
