// A block of the product by resident weights on Hopper: its shared memory, the thread that brings, and the
// warpgroups that multiply, each with 64 rows at a time.
#pragma once

#include <cuda.h>

#include "kernels/common/dense/fast_activation.cuh"
#include "kernels/common/dense/shared_row_norm.cuh"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/staged_rows.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/common/min_max.h"
#include "kernels/linear/hopper_parts.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

constexpr int resident_groups = 3, resident_consumers = 128 * resident_groups,
              resident_threads = resident_consumers + 32;
constexpr int resident_tile = 128;  ///< rows of W of a block: columns of Z
constexpr int max_row_stages = 16;
constexpr unsigned weight_step_bytes = 2 * resident_tile * hopper_step,
                   row_stage_bytes = hopper::staged_panel_bytes,
                   staged_bytes = 2 * hopper::staged_panel_bytes;

/// What follows the weights, the staged blocks and the ring of rows.
struct resident_memory {
  hopper::barrier weight_full[max_resident_steps], residual_full[resident_groups];
  hopper::barrier full[max_row_stages], empty[max_row_stages];
  float bias[resident_tile];
};

struct resident_view {
  const float *bias, *gamma, *beta;
  int row_blocks, column_tiles;
  int columns, third;      ///< of Y; third: columns of a part of a split Y, else all
  int steps, stages;       ///< of 64 of k; of the ring
  int blocks_of_a_column;  ///< that share a column tile
  bool begins_early;       ///< then weights are brought while the kernel in front still runs
};

/// Where the parts of the block's shared memory are.
struct resident_places {
  unsigned weight, staged, rows, behind;

  __host__ __device__ static resident_places of(int steps, int stages) {
    const unsigned staged = static_cast<unsigned>(steps) * weight_step_bytes,
                   rows = staged + resident_groups * staged_bytes;
    return {0, staged, rows, rows + static_cast<unsigned>(stages) * row_stage_bytes};
  }
};

constexpr unsigned max_shared_bytes = 227 * 1024, to_begin_aligned = 1024;

/// As many as fit; 6 with the widest rows.
constexpr int row_stages_for(int steps) {
  const unsigned taken = static_cast<unsigned>(steps) * weight_step_bytes + resident_groups * staged_bytes +
                         static_cast<unsigned>(sizeof(resident_memory)) + to_begin_aligned;
  return std::min(max_row_stages, static_cast<int>((max_shared_bytes - taken) / row_stage_bytes));
}
static_assert(row_stages_for(max_resident_steps) >= 6);

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// A stage of the ring by the number of the step, counted over all blocks of rows that this block meets.
struct row_position {
  unsigned stage, parity, stages;

  __device__ row_position(unsigned number, unsigned of)
      : stage(number % of), parity(number / of & 1), stages(of) {}
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// `NormedSteps`: steps of 64 of k where rows are normalized first; else 0.
template <epilogue Behind, int NormedSteps>
class resident_product {
 public:
  __device__ resident_product(const CUtensorMap& rows, const CUtensorMap& weight, const CUtensorMap& residual,
                              const CUtensorMap& out, const resident_view& v, unsigned shared,
                              resident_memory& memory)
      : rows_(rows), weight_(weight), residual_(residual), out_(out), v_(v), memory_(memory) {
    const resident_places at = resident_places::of(v.steps, v.stages);
    weight_at_ = shared + at.weight, staged_at_ = shared + at.staged, rows_at_ = shared + at.rows;
    column_tile_ = static_cast<int>(blockIdx.x) % v.column_tiles;
    first_block_ = static_cast<int>(blockIdx.x) / v.column_tiles;
  }

  /// By the block, before its barrier.
  __device__ void begin() {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
#pragma unroll 1
      for (int s = 0; s < v_.steps; ++s) hopper::initialize(memory_.weight_full[s], 1);
      for (int g = 0; g < resident_groups; ++g) hopper::initialize(memory_.residual_full[g], 1);
#pragma unroll 1
      for (int s = 0; s < v_.stages; ++s) {
        hopper::initialize(memory_.full[s], 1);
        hopper::initialize(memory_.empty[s], 4);  // the warps of the group that takes the rows
      }
      hopper::fence_initialization();
    }
  }

  /// One thread.
  __device__ void bring() {
    if (v_.begins_early)
      for (int step = 0; step < v_.steps; ++step) bring_weight(step);
    wait_for_previous_kernel();
    row_position at(0, static_cast<unsigned>(v_.stages));
    for (int i = 0; block_of_rows(i) < v_.row_blocks; ++i)
      for (int step = 0; step < v_.steps; ++step) {
        if (i == 0 && !v_.begins_early) bring_weight(step);
        hopper::wait(memory_.empty[at.stage], at.parity ^ 1);
        hopper::arrive_expecting(memory_.full[at.stage], row_stage_bytes);
        const int of_rows[] = {step * hopper_step, first_row(i)};
        copy_in(rows_at_ + at.stage * row_stage_bytes, rows_, of_rows, memory_.full[at.stage]);
        at.advance();
      }
  }

  /// By a warpgroup.
  __device__ void multiply(int group) {
    const bool leads = threadIdx.x % 128 == 0;
    const unsigned staged = staged_at_ + static_cast<unsigned>(group) * staged_bytes;
    load_bias(group);
    unsigned residual_parity = 0;
    if constexpr (Behind == epilogue::residual) wait_for_previous_kernel();
    for (int i = group; block_of_rows(i) < v_.row_blocks; i += resident_groups) {
      if constexpr (Behind == epilogue::residual) {
        if (leads) bring_residual(i, staged, memory_.residual_full[group]);
        __syncwarp();
      }
      if constexpr (has_norm) {
        await_rows(i);
        normalize_rows(i);
        hopper::fence_shared_for_async();
        hopper::named_barrier_wait(group_barrier(group), 128);
      }
      float d[resident_tile / 2];
      multiply_block(d, i);
      if constexpr (Behind == epilogue::residual) {
        hopper::wait(memory_.residual_full[group], residual_parity);
        residual_parity ^= 1;
      } else {
        // The block before has left the place.
        if (leads) cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
        hopper::named_barrier_wait(group_barrier(group), 128);
      }
      finish_block(d, staged);
      hopper::fence_shared_for_async();
      hopper::named_barrier_wait(group_barrier(group), 128);
      if (leads) store_block(i, staged);
      __syncwarp();
    }
    if (leads) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  static constexpr bool is_gated = Behind == epilogue::swiglu, has_norm = NormedSteps > 0;
  static constexpr int tile_columns = is_gated ? resident_tile / 2 : resident_tile;  ///< of Y
  static constexpr int panels = tile_columns / hopper::staged_columns;
  /// Named barriers (0 is the block's own): of a group, of all of them, and of the group whose turn it is.
  __device__ static int group_barrier(int group) { return 1 + group; }
  static constexpr int groups_barrier = 1 + resident_groups;
  __device__ static int turn_barrier(int i) { return 2 + resident_groups + i % resident_groups; }

  __device__ int block_of_rows(int i) const { return first_block_ + i * v_.blocks_of_a_column; }
  __device__ int first_row(int i) const { return block_of_rows(i) * hopper::staged_rows; }

  template <int Dimensions>
  __device__ static void copy_in(unsigned to, const CUtensorMap& map, const int (&at)[Dimensions],
                                 hopper::barrier& full) {
    using namespace cuda::ptx;
    cp_async_bulk_tensor(space_cluster, space_global, __cvta_shared_to_generic(to), &map, at, &full);
  }

  __device__ void bring_weight(int step) {
    hopper::arrive_expecting(memory_.weight_full[step], weight_step_bytes);
    const int of_weight[] = {step * hopper_step, 0, 0, column_tile_ * (resident_tile / (is_gated ? 16 : 8))};
    copy_in(weight_at_ + static_cast<unsigned>(step) * weight_step_bytes, weight_, of_weight,
            memory_.weight_full[step]);
  }

  /// By all warpgroups: zeros past the last column.
  __device__ void load_bias(int group) {
    if (group == 0) {
      const int thread = static_cast<int>(threadIdx.x);
      const int column =
          column_tile_ * tile_columns + (is_gated ? thread % 64 + thread / 64 * v_.columns : thread);
      memory_.bias[thread] = is_gated || column < v_.columns ? v_.bias[column] : 0.0f;
    }
    hopper::named_barrier_wait(groups_barrier, resident_consumers);
  }

  /// One thread, which issued the store of what stood there.
  __device__ void bring_residual(int i, unsigned staged, hopper::barrier& full) {
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    hopper::arrive_expecting(full, staged_bytes);
    for (int panel = 0; panel < panels; ++panel) {
      const int at[] = {column_tile_ * tile_columns + panel * hopper::staged_columns, first_row(i), 0};
      copy_in(staged + static_cast<unsigned>(panel) * hopper::staged_panel_bytes, residual_, at, full);
    }
  }

  __device__ row_position first_stage(int i) const {
    return {static_cast<unsigned>(i * v_.steps), static_cast<unsigned>(v_.stages)};
  }
  /// Groups wait for rows block by block: so no stage of the ring is more than one phase away from the one
  /// that is waited for. Without a norm, products are issued in the same order, and those of one block end
  /// early.
  __device__ void await_turn(int i) const {
    if (i > 0) hopper::named_barrier_wait(turn_barrier(i), 256);
  }
  __device__ void pass_turn(int i) const {
    if (block_of_rows(i + 1) < v_.row_blocks) hopper::named_barrier_arrive(turn_barrier(i + 1), 256);
  }

  /// Before a norm: all of the block's rows.
  __device__ void await_rows(int i) const {
    await_turn(i);
    row_position at = first_stage(i);
    for (int step = 0; step < NormedSteps; ++step) {
      hopper::wait(memory_.full[at.stage], at.parity);
      at.advance();
    }
    pass_turn(i);
  }

  __device__ static uint4* chunk_at(unsigned shared) {
    return static_cast<uint4*>(__cvta_shared_to_generic(shared));
  }
  /// In place: the warp's 16 rows, four at a time, eight lanes a row.
  __device__ void normalize_rows(int i) const {
    const unsigned lane = threadIdx.x % 32, row_of_warp = threadIdx.x / 32 % 4 * 16 + lane / 8;
    float gamma[NormedSteps][chunk], beta[NormedSteps][chunk];
    load_shared_parameters(gamma, v_.gamma);
    load_shared_parameters(beta, v_.beta);
    unsigned panels[NormedSteps];
    row_position at = first_stage(i);
#pragma unroll
    for (int step = 0; step < NormedSteps; ++step) {
      panels[step] = rows_at_ + at.stage * row_stage_bytes;
      at.advance();
    }
#pragma unroll(NormedSteps < 4 ? 2 : 1)
    for (unsigned four = 0; four < 4; ++four) {
      const unsigned place = hopper::staged_chunk(row_of_warp + 4 * four, lane % 8);
      float x[NormedSteps][chunk];
#pragma unroll
      for (int step = 0; step < NormedSteps; ++step) unpack(x[step], *chunk_at(panels[step] + place));
      normalize_shared_row(x, gamma, beta);
#pragma unroll
      for (int step = 0; step < NormedSteps; ++step) *chunk_at(panels[step] + place) = pack(x[step]);
    }
  }

  __device__ void multiply_block(float (&d)[resident_tile / 2], int i) {
    using namespace hopper;
    using swizzle = hopper::swizzle<128>;
    const std::uint64_t first_rows = matrix_descriptor<swizzle>(rows_at_),
                        first_weight = matrix_descriptor<swizzle>(weight_at_);
    row_position at = first_stage(i);
    if constexpr (!has_norm) await_turn(i);
    unsigned before = 0;
    const int steps = has_norm ? NormedSteps : v_.steps;
#pragma unroll(has_norm ? NormedSteps : 1)
    for (int step = 0; step < steps; ++step) {
      wait(memory_.weight_full[step], 0);
      if constexpr (!has_norm) wait(memory_.full[at.stage], at.parity);
      const std::uint64_t a = moved_by(first_rows, at.stage * row_stage_bytes),
                          b = moved_by(first_weight, static_cast<unsigned>(step) * weight_step_bytes);
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < hopper_step / 16; ++k)
        wgmma<resident_tile>::template shared_a<operand_major::k_major>(
            d, moved_by(a, 32 * k), moved_by(b, 32 * k), step > 0 || k > 0);
      wgmma_commit();
      if (step > 0) {
        wgmma_wait<1>();
        if (threadIdx.x % 32 == 0) arrive(memory_.empty[before]);
      }
      before = at.stage;
      at.advance();
    }
    if constexpr (!has_norm) pass_turn(i);
    wgmma_wait<0>();
    fence_operand(d);
    if (threadIdx.x % 32 == 0) arrive(memory_.empty[before]);
  }

  __device__ static float activated(float z) {
    if constexpr (Behind == epilogue::gelu_erf) return fast_gelu_erf(z);
    if constexpr (Behind == epilogue::gelu_tanh) return fast_gelu_tanh(z);
    return z;
  }

  /// Accumulators become Y, 16 columns of the thread's two rows at a time.
  __device__ void finish_block(const float (&d)[resident_tile / 2], unsigned staged) const {
    const float* const bias = memory_.bias + threadIdx.x % 4 * 2;
#pragma unroll
    for (int pair = 0; pair < tile_columns / 16; ++pair) {
      unsigned words[4];
      if constexpr (Behind == epilogue::residual) hopper::load_staged(words, staged, pair);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int group = 2 * pair + half;
        const float2 b = *reinterpret_cast<const float2*>(bias + 8 * group);
#pragma unroll
        for (int row = 0; row < 2; ++row) {
          float z[2];
          unsigned& word = words[2 * half + row];
          if constexpr (is_gated) {
            const float2 of_up = *reinterpret_cast<const float2*>(bias + 64 + 8 * group);
            const float* const gate = d + 8 * group + 2 * row;
            const float* const up = gate + 4;
            z[0] = fast_silu(gate[0] + b.x) * (up[0] + of_up.x);
            z[1] = fast_silu(gate[1] + b.y) * (up[1] + of_up.y);
          } else {
            z[0] = activated(d[4 * group + 2 * row] + b.x);
            z[1] = activated(d[4 * group + 2 * row + 1] + b.y);
          }
          if constexpr (Behind == epilogue::residual) {
            z[0] += __uint_as_float(word << 16);
            z[1] += __uint_as_float(word & 0xffff0000u);
          }
          word = packed(z[0], z[1]);
        }
      }
      hopper::store_staged(words, staged, pair);
    }
  }

  /// One thread. TMA leaves out what is past the last row.
  __device__ void store_block(int i, unsigned staged) {
    using namespace cuda::ptx;
    for (int panel = 0; panel < panels; ++panel) {
      const int column = column_tile_ * tile_columns + panel * hopper::staged_columns;
      if (column >= v_.columns) break;
      const int at[] = {column % v_.third, first_row(i), column / v_.third};
      cp_async_bulk_tensor(
          space_global, space_shared, &out_, at,
          __cvta_shared_to_generic(staged + static_cast<unsigned>(panel) * hopper::staged_panel_bytes));
    }
    cp_async_bulk_commit_group();
  }

  const CUtensorMap &rows_, &weight_, &residual_, &out_;
  const resident_view& v_;
  resident_memory& memory_;
  unsigned weight_at_, staged_at_, rows_at_;
  int column_tile_, first_block_;
};

#endif

}  // namespace ablate::linear
