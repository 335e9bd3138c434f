// The whole MLP in one launch on Hopper, for rows of 64 or 128 channels: fused_mma.cu's composition with
// warpgroup products. A block has one to three warpgroups of 64 rows each, as many as it takes to cover all
// rows in one wave. They share the weights, loaded by one thread through TMA, 64 hidden columns at a time
// (gated: 32). X is loaded by TMA as well and stays in shared memory for the residual, where Y replaces it;
// next to it, the normalized rows are the left factor of the first product. The left factor of the second is
// in registers: activated and packed accumulators of hidden columns. A group issues the products of a step
// together with the first product of the next; groups alternate, one multiplying while the others activate.
// Should move: the tensor pipe's activity; bytes of weights from L2, by the groups that share them.
#include <algorithm>

#include "kernels/common/dense/fast_activation.cuh"
#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/mlp/hopper_rows.cuh"
#include "kernels/mlp/launches.h"
#include "kernels/mlp/parts.h"

namespace ablate::mlp {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The hidden columns of a step, 8 a group, as the left factor of the second product, from their sums without
/// biases.
template <bool IsGated, int Groups, int Count>
__device__ void activate(unsigned (&fragments)[2 * Groups], const float (&h)[Count], const float* bias,
                         int hidden) {
#pragma unroll
  for (int group = 0; group < Groups; ++group) {
    const float2 b = *reinterpret_cast<const float2*>(bias + 8 * group);
    float z[4];
    if constexpr (IsGated) {
      const float2 of_up = *reinterpret_cast<const float2*>(bias + hidden + 8 * group);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        z[i] = fast_silu(h[8 * group + i] + (i % 2 == 0 ? b.x : b.y)) *
               (h[8 * group + 4 + i] + (i % 2 == 0 ? of_up.x : of_up.y));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) z[i] = fast_gelu_erf(h[4 * group + i] + (i % 2 == 0 ? b.x : b.y));
    }
    fragments[2 * group] = packed(z[0], z[1]);
    fragments[2 * group + 1] = packed(z[2], z[3]);
  }
}

/// The named barriers of all groups, of one, and of its turn (0 is the block's own).
constexpr int all_groups_barrier = 1;
__device__ constexpr int group_barrier(int group) { return 2 + group; }
__device__ constexpr int turn_barrier(int group) { return 2 + max_hopper_groups + group; }

/// A warpgroup with its 64 rows.
template <class Memory>
class mlp_rows {
 public:
  using memory = Memory;

  __device__ mlp_rows(const hopper_maps& maps, const hopper_view& v, memory& shared, int group)
      : maps_(maps), v_(v), shared_(shared), group_(group) {}

  __device__ void run() {
    using namespace hopper;
    begin();
    float h[memory::first_rows / 2], y[memory::channels / 2];
    unsigned hidden[memory::step_columns / 4];
    ring_position at;
    wait(shared_.full[at.stage], at.parity);
    await_turn();
    wgmma_fence();
    issue_first(h, at.stage);
    pass_turn();
    wgmma_wait<0>();
    fence_operand(h);
#pragma unroll 1
    for (int step = 0; step + 1 < memory::steps; ++step) {
      activate_step(hidden, h, step);
      const unsigned stage = at.stage;
      at.template advance<memory::stages>();
      wait(shared_.full[at.stage], at.parity);
      await_turn();
      wgmma_fence();
      issue_first(h, at.stage);
      issue_second(y, hidden, stage, step > 0);
      pass_turn();
      wgmma_wait<0>();
      fence_operand(h);
      fence_operand(y);
      if (threadIdx.x % 32 == 0) arrive(shared_.empty[stage]);
    }
    activate_step(hidden, h, memory::steps - 1);
    await_turn();
    wgmma_fence();
    issue_second(y, hidden, at.stage, true);
    wgmma_wait<0>();
    fence_operand(y);
    if (group_ + 1 < memory::groups) pass_turn();  // nobody awaits one past the last
    add_to_rows(shared_.x[group_], y, shared_.second_bias);
    fence_shared_for_async();
    named_barrier_wait(group_barrier(group_), 128);
    if (threadIdx.x % 128 == 0) store();
  }

 private:
  static constexpr bool takes_turns = memory::groups > 1;

  /// Biases to shared memory, rows normalized; the first turn is group 0's.
  __device__ void begin() {
    bring_parameters(shared_.first_bias, v_.first_bias, memory::consumers);
    bring_parameters(shared_.second_bias, v_.second_bias, memory::consumers);
    mma::copy_commit();
    normalize<memory::panels>(shared_.normalized[group_], shared_.x[group_], shared_.x_full[group_], v_.gamma,
                              v_.beta);
    mma::copy_wait<0>();
    hopper::fence_shared_for_async();
    hopper::named_barrier_wait(all_groups_barrier, memory::consumers);
    if (group_ + 1 == memory::groups) pass_turn();
  }

  __device__ void await_turn() const {
    if constexpr (takes_turns) hopper::named_barrier_wait(turn_barrier(group_), 256);
  }
  __device__ void pass_turn() const {
    if constexpr (takes_turns) hopper::named_barrier_arrive(turn_barrier((group_ + 1) % memory::groups), 256);
  }

  __device__ void activate_step(unsigned (&hidden)[memory::step_columns / 4],
                                const float (&h)[memory::first_rows / 2], int step) const {
    activate<memory::is_gated, memory::step_columns / 8>(
        hidden, h, shared_.first_bias + step * memory::step_columns + threadIdx.x % 4 * 2, memory::hidden);
  }

  __device__ void issue_first(float (&h)[memory::first_rows / 2], unsigned stage) const {
    using namespace hopper;
    using swizzle = hopper::swizzle<128>;
    const std::uint64_t rows = matrix_descriptor<swizzle>(shared_address(shared_.normalized[group_])),
                        weight = matrix_descriptor<swizzle>(shared_address(shared_.first[stage]));
#pragma unroll
    for (int k = 0; k < memory::channels / 16; ++k) {
      const auto panel = static_cast<unsigned>(k / 4);
      wgmma<memory::first_rows>::template shared_a<operand_major::k_major>(
          h, moved_by(rows, panel * staged_panel_bytes + 32 * (k % 4)),
          moved_by(weight, panel * memory::panel_bytes + 32 * (k % 4)), k > 0);
    }
    wgmma_commit();
  }

  template <int Count>
  __device__ void issue_second(float (&y)[memory::channels / 2], const unsigned (&hidden)[Count],
                               unsigned stage, bool accumulates) const {
    using namespace hopper;
    const std::uint64_t weight =
        matrix_descriptor<typename memory::second_swizzle>(shared_address(shared_.second[stage]));
#pragma unroll
    for (int k = 0; k < Count / 4; ++k)
      wgmma<memory::channels>::template register_a<operand_major::k_major>(
          y, hidden + 4 * k, moved_by(weight, 32 * k), accumulates || k > 0);
    wgmma_commit();
  }

  /// One thread. TMA leaves out what is past the last row.
  __device__ void store() const {
    using namespace cuda::ptx;
    const int row = (static_cast<int>(blockIdx.x) * memory::groups + group_) * hopper::staged_rows;
    if (row >= v_.rows) return;
    for (int panel = 0; panel < memory::panels; ++panel) {
      const int at[] = {64 * panel, row};
      cp_async_bulk_tensor(space_global, space_shared, &maps_.y, at,
                           shared_.x[group_] + panel * hopper::staged_panel_bytes);
    }
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group(n32_t<0>());
  }

  const hopper_maps& maps_;
  const hopper_view& v_;
  memory& shared_;
  int group_;
};

#endif

template <class Memory>
__global__ __launch_bounds__(Memory::threads,
                             1) void multiply_whole_mlp_on_hopper(const __grid_constant__ hopper_maps maps,
                                                                  const __grid_constant__ hopper_view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<Memory*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    for (int g = 0; g < Memory::groups; ++g) hopper::initialize(shared.x_full[g], 1);
    for (int s = 0; s < Memory::stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], Memory::consumers / 32);
    }
    hopper::fence_initialization();
  }
  let_next_kernel_begin();
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group < Memory::groups) {
    if constexpr (Memory::moves_registers) hopper::setmaxnreg_inc<160>();
    mlp_rows<Memory>(maps, v, shared, group).run();
  } else {
    if constexpr (Memory::moves_registers) hopper::setmaxnreg_dec<32>();
    if (threadIdx.x == Memory::consumers) bring(maps, v, shared);
  }
#endif
}

/// X or Y.
CUtensorMap map_of_rows(const launcher& to, const problem& p, const std::uint16_t* base) {
  const std::size_t sizes[] = {static_cast<std::size_t>(p.channels), static_cast<std::size_t>(p.rows)};
  const std::size_t strides[] = {2 * static_cast<std::size_t>(p.channels)};
  const unsigned box[] = {hopper::staged_columns, hopper::staged_rows};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(base), sizes, strides, box, 128});
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

template <hopper_config Config>
void launch_fused(launcher& to, const problem& p) {
  using memory = hopper_memory<Config>;
  constexpr std::size_t shared_bytes = sizeof(memory) + 1024;  // to begin at a multiple of 1024
  static_assert(shared_bytes <= 227 * 1024);
  launch(to, multiply_whole_mlp_on_hopper<memory>,
         {.grid = dim3(blocks_for(p.rows, Config.groups * hopper::staged_rows)),
          .block = dim3(memory::threads),
          .dynamic_shared_bytes = shared_bytes,
          .overlaps_previous = p.begins_early},
         hopper_maps{map_of_rows(to, p, p.x), map_of_first(to, p, memory::step_columns),
                     map_of_second(to, p, memory::step_columns), map_of_rows(to, p, p.y)},
         hopper_view{p.gamma, p.beta, p.first_bias, p.second_bias, static_cast<int>(p.rows), p.begins_early});
}

/// Warpgroups of a block: as few as meet all rows at once.
int groups_for(std::int64_t rows, int multiprocessors) {
  const auto of_64 = (rows + hopper::staged_rows - 1) / hopper::staged_rows;
  return static_cast<int>(
      std::clamp<std::int64_t>((of_64 + multiprocessors - 1) / multiprocessors, 1, max_hopper_groups));
}

template <int Channels, kind Kind>
void launch_with_groups(launcher& to, const problem& p) {
  switch (groups_for(p.rows, to.device().multiprocessors)) {
    case 1:
      return launch_fused<hopper_config{.channels = Channels, .kind = Kind, .groups = 1}>(to, p);
    case 2:
      return launch_fused<hopper_config{.channels = Channels, .kind = Kind, .groups = 2}>(to, p);
    default:
      return launch_fused<hopper_config{.channels = Channels, .kind = Kind, .groups = max_hopper_groups}>(to,
                                                                                                          p);
  }
}

void fused_wgmma(launcher& to, const problem& p, const switches&) {
  const bool gated = p.kind == kind::swiglu;
  if (p.channels == 64)
    return gated ? launch_with_groups<64, kind::swiglu>(to, p) : launch_with_groups<64, kind::gelu>(to, p);
  if (p.channels == 128)
    return gated ? launch_with_groups<128, kind::swiglu>(to, p) : launch_with_groups<128, kind::gelu>(to, p);
  refuse_launch({"mlp: fused_wgmma takes rows of 64 or 128 channels"});
}

}  // namespace ablate::mlp
