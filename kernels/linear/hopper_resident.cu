// Y = out(X · Wᵀ + b) on Hopper for short K: a block keeps 128 whole rows of W in shared memory (K ≤ 512: at
// most 128 KiB) and streams X in blocks of 64 rows, which three independent warpgroups process in turn: while
// one multiplies, another applies the epilogue, and one thread loads further rows by TMA through a ring. A
// finished block is staged in shared memory, over its residual loaded by TMA, and stored by TMA. Should move:
// bytes from L2, by the weights and by one read of the rows per column tile; stalls on the epilogue's loads
// and stores, to none.

#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/linear/hopper_resident.cuh"
#include "kernels/linear/launches.h"
#include "kernels/linear/parts.h"

namespace ablate::linear {

template <epilogue Behind, int NormedSteps>
__global__ __launch_bounds__(resident_threads,
                             1) void multiply_by_resident_weight(const __grid_constant__ CUtensorMap rows,
                                                                 const __grid_constant__ CUtensorMap weight,
                                                                 const __grid_constant__ CUtensorMap residual,
                                                                 const __grid_constant__ CUtensorMap out,
                                                                 const __grid_constant__ resident_view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned address = hopper::shared_address(raw),
                 aligned = (address + to_begin_aligned - 1) / to_begin_aligned * to_begin_aligned;
  auto& memory = *reinterpret_cast<resident_memory*>(raw + (aligned - address) +
                                                     resident_places::of(v.steps, v.stages).behind);
  resident_product<Behind, NormedSteps> product(rows, weight, residual, out, v, aligned, memory);
  let_next_kernel_begin();
  product.begin();
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group < resident_groups)
    product.multiply(group);
  else if (threadIdx.x == resident_consumers)
    product.bring();
#endif
}

/// Y, or of its shape, in boxes of 64 rows × 64 columns of a part.
CUtensorMap map_of_outputs(const launcher& to, const std::uint16_t* base, const problem& p, int third) {
  const auto columns = static_cast<std::size_t>(third), rows = static_cast<std::size_t>(p.rows);
  const std::size_t sizes[] = {columns, rows, static_cast<std::size_t>(p.columns() / third)};
  const std::size_t strides[] = {2 * columns, 2 * columns * rows};
  const unsigned box[] = {hopper::staged_columns, hopper::staged_rows, 1};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(base), sizes, strides, box, 128});
}

template <epilogue Behind, int NormedSteps>
void launch_resident(launcher& to, const problem& p) {
  resident_view v{};
  v.bias = p.bias;
  v.gamma = p.gamma;
  v.beta = p.beta;
  v.row_blocks = static_cast<int>((p.rows + hopper::staged_rows - 1) / hopper::staged_rows);
  v.column_tiles = (p.outputs + resident_tile - 1) / resident_tile;
  v.columns = p.columns();
  v.third = p.is_split ? p.outputs / 3 : v.columns;
  v.steps = p.inputs / hopper_step;
  v.stages = row_stages_for(v.steps);
  v.blocks_of_a_column = std::min(v.row_blocks, std::max(1, to.device().multiprocessors / v.column_tiles));
  v.begins_early = p.begins_early;
  const CUtensorMap out = map_of_outputs(to, p.y, p, v.third);
  launch(to, multiply_by_resident_weight<Behind, NormedSteps>,
         {.grid = dim3(static_cast<unsigned>(v.column_tiles * v.blocks_of_a_column)),
          .block = dim3(resident_threads),
          .dynamic_shared_bytes =
              resident_places::of(v.steps, v.stages).behind + sizeof(resident_memory) + to_begin_aligned,
          .overlaps_previous = p.begins_early},
         map_of_rows(to, p.x, p.rows, p.inputs, hopper::staged_rows), map_of_weight(to, p),
         Behind == epilogue::residual ? map_of_outputs(to, p.residual, p, v.third) : out, out, v);
}

template <int NormedSteps>
void launch_with_epilogue(launcher& to, const problem& p) {
  switch (p.behind) {
    case epilogue::bias:
      return launch_resident<epilogue::bias, NormedSteps>(to, p);
    case epilogue::residual:
      return launch_resident<epilogue::residual, NormedSteps>(to, p);
    case epilogue::gelu_erf:
      return launch_resident<epilogue::gelu_erf, NormedSteps>(to, p);
    case epilogue::gelu_tanh:
      return launch_resident<epilogue::gelu_tanh, NormedSteps>(to, p);
    case epilogue::swiglu:
      return launch_resident<epilogue::swiglu, NormedSteps>(to, p);
  }
}

void hopper_resident_forward(launcher& to, const problem& p) { launch_with_epilogue<0>(to, p); }

void hopper_normed_forward(launcher& to, const problem& p) {
  if (p.is_split && p.outputs / 3 % hopper_step != 0)
    refuse_launch({"linear: own_wgmma_normed takes parts of multiples of 64 columns"});
  switch (p.inputs) {
    case 64:
      return launch_with_epilogue<1>(to, p);
    case 128:
      return launch_with_epilogue<2>(to, p);
    case 256:
      return launch_with_epilogue<4>(to, p);
    default:
      refuse_launch({"linear: own_wgmma_normed takes rows of 64, 128 or 256 elements"});
  }
}

void own_wgmma_normed(launcher& to, const problem& p, const switches& s) {
  forward_by(to, p, s, hopper_forward, hopper_normed_forward);
}

}  // namespace ablate::linear
