// Y = out(X · Wᵀ + b) and dX = dY · W on Hopper: tiles of 128 × 128 by two warpgroups of 64 rows each,
// operands in steps of 64 of k through a ring of three stages that one thread fills by TMA and that runs on
// over the block's tiles. Two blocks a multiprocessor, so that one multiplies while the other does its
// epilogue, on the accumulators as in mma_forward.cu. Layers of up to 512 inputs, gated ones among them, have
// kernels of their own (hopper_resident.cu). Should move: the tensor pipe's activity; instructions, since
// operands pass through no registers.

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/ring_product.cuh"
#include "kernels/common/hopper/tensor_map.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/refuse_launch.h"
#include "kernels/linear/fragments.cuh"
#include "kernels/linear/hopper_parts.h"
#include "kernels/linear/launches.h"
#include "kernels/linear/parts.h"

namespace ablate::linear {

constexpr int hopper_tile = 128, hopper_stages = 3, hopper_consumers = 256,
              hopper_threads = hopper_consumers + 32;
constexpr unsigned hopper_stage_bytes = 2 * hopper_tile * hopper_step;

/// Y; or the gradient of X, in which k is W's rows.
enum class hopper_form { plain, gradient };

using hopper_memory = hopper::product_ring<hopper_stages, hopper_stage_bytes, hopper_stage_bytes>;
constexpr std::size_t hopper_shared_bytes = sizeof(hopper_memory) + 1024;  // to begin at a multiple of 1024

struct hopper_view {
  epilogue_view out;
  long long tiles;
  int column_tiles, steps;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// One thread. Boxes beyond a tensor's end are zeros, and their bytes count.
template <hopper_form Form>
__device__ void bring_tiles(const CUtensorMap& rows, const CUtensorMap& weight, const hopper_view& v,
                            hopper_memory& shared) {
  using namespace cuda::ptx;
  hopper::ring_position at;
  for (long long tile = blockIdx.x; tile < v.tiles; tile += gridDim.x) {
    const int row = static_cast<int>(tile / v.column_tiles) * hopper_tile,
              column_tile = static_cast<int>(tile % v.column_tiles);
    for (int step = 0; step < v.steps; ++step) {
      hopper::barrier& full = shared.full[at.stage];
      hopper::wait(shared.empty[at.stage], at.parity ^ 1);
      hopper::arrive_expecting(full, 2 * hopper_stage_bytes);
      const int k = step * hopper_step;
      const int of_rows[] = {k, row};
      cp_async_bulk_tensor(space_cluster, space_global, shared.rows[at.stage], &rows, of_rows, &full);
      if constexpr (Form == hopper_form::gradient) {
        const int of_weight[] = {0, k, column_tile * (hopper_tile / 64)};
        cp_async_bulk_tensor(space_cluster, space_global, shared.columns[at.stage], &weight, of_weight,
                             &full);
      } else {
        const int of_weight[] = {k, 0, 0, column_tile * (hopper_tile / 8)};
        cp_async_bulk_tensor(space_cluster, space_global, shared.columns[at.stage], &weight, of_weight,
                             &full);
      }
      at.advance<hopper_stages>();
    }
  }
}

/// The products of a warpgroup: 64 rows of a tile. Advances the ring.
template <hopper_form Form>
__device__ void multiply_tile(float (&d)[hopper_tile / 2], const hopper_view& v, hopper_memory& shared,
                              int group, hopper::ring_position& at) {
  constexpr bool k_is_rows = Form == hopper_form::gradient;
  constexpr operand_major major = k_is_rows ? operand_major::mn_major : operand_major::k_major;
  // Where N is contiguous, panels of 64 columns follow each other.
  constexpr unsigned leading = k_is_rows ? hopper_step * 128 : 16, of_16 = k_is_rows ? 16 * 128 : 32;
  hopper::multiply_through_ring<hopper_tile, major, leading, of_16>(d, v.steps, shared, group, at);
}

#endif

template <hopper_form Form>
__global__ __launch_bounds__(hopper_threads,
                             2) void multiply_on_hopper(const __grid_constant__ CUtensorMap rows,
                                                        const __grid_constant__ CUtensorMap weight,
                                                        hopper_view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  auto& shared = hopper::begin_ring<hopper_memory>(raw, hopper_consumers / 32);
  let_next_kernel_begin();
  __syncthreads();
  wait_for_previous_kernel();
  const int group = hopper::warpgroup();
  if (group == hopper_consumers / 128) {
    if (threadIdx.x == hopper_consumers) bring_tiles<Form>(rows, weight, v, shared);
    return;
  }
  const int row_of_thread = 64 * group + static_cast<int>(threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4);
  hopper::ring_position at;
  for (long long tile = blockIdx.x; tile < v.tiles; tile += gridDim.x) {
    float d[hopper_tile / 2];
    multiply_tile<Form>(d, v, shared, group, at);
    const long long row = tile / v.column_tiles * hopper_tile + row_of_thread;
    const int column = static_cast<int>(tile % v.column_tiles) * hopper_tile;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto of_row = [&](int of, int k) { return d[4 * of + 2 * half + k]; };
      if constexpr (Form == hopper_form::gradient) {
#pragma unroll
        for (int first = 0; first < hopper_tile / 8; first += 4) {
          float z[4][2];
#pragma unroll
          for (int j = 0; j < 8; ++j) z[j / 2][j % 2] = of_row(first + j / 2, j % 2);
          if (column + 8 * first < v.out.outputs)
            store_columns(v.out, row + 8 * half, column + 8 * first, v.out.outputs, z);
        }
      } else {
        finish_plain_row<hopper_tile / 8>(v.out, row + 8 * half, column, of_row);
      }
    }
  }
#endif
}

CUtensorMap map_of_rows(const launcher& to, const std::uint16_t* base, std::int64_t rows, int columns,
                        unsigned box_rows) {
  const std::size_t sizes[] = {static_cast<std::size_t>(columns), static_cast<std::size_t>(rows)};
  const std::size_t strides[] = {2 * static_cast<std::size_t>(columns)};
  const unsigned box[] = {hopper_step, box_rows};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(base), sizes, strides, box, 128});
}

/// Of swiglu, the map itself brings rows of the gate and of the other half in turn, 8 of each.
CUtensorMap map_of_weight(const launcher& to, const problem& p) {
  const bool is_gated = p.behind == epilogue::swiglu;
  const auto k = static_cast<std::size_t>(p.inputs), halves = static_cast<std::size_t>(is_gated ? 2 : 1),
             groups = static_cast<std::size_t>(p.outputs) / 8 / halves;
  const std::size_t sizes[] = {k, 8, halves, groups};
  const std::size_t strides[] = {2 * k, 2 * k * 8 * groups, 2 * k * 8};
  const unsigned box[] = {hopper_step, 8, static_cast<unsigned>(halves),
                          static_cast<unsigned>(hopper_tile / 8 / halves)};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(p.weight), sizes, strides, box, 128});
}

/// W where k is its rows: two panels of 64 columns, 64 rows each.
CUtensorMap map_of_transposed_weight(const launcher& to, const problem& p) {
  const auto columns = static_cast<std::size_t>(p.inputs);
  const std::size_t sizes[] = {64, static_cast<std::size_t>(p.outputs), columns / 64};
  const std::size_t strides[] = {2 * columns, 128};
  const unsigned box[] = {64, hopper_step, hopper_tile / 64};
  return hopper::tensor_map(to, {const_cast<std::uint16_t*>(p.weight), sizes, strides, box, 128});
}

template <hopper_form Form>
void launch_on_hopper(launcher& to, const CUtensorMap& rows, const CUtensorMap& weight,
                      const epilogue_view& out, int k, bool begins_early) {
  hopper_view v = {out, 0, (out.outputs + hopper_tile - 1) / hopper_tile, k / hopper_step};
  v.tiles = (out.rows + hopper_tile - 1) / hopper_tile * v.column_tiles;
  const auto blocks = static_cast<unsigned>(std::min<long long>(v.tiles, 2 * to.device().multiprocessors));
  launch(to, multiply_on_hopper<Form>,
         {.grid = dim3(blocks),
          .block = dim3(hopper_threads),
          .dynamic_shared_bytes = hopper_shared_bytes,
          .overlaps_previous = begins_early},
         rows, weight, v);
}

void refuse_odd_sizes(const problem& p) {
  if (p.inputs % hopper_step != 0 || p.outputs % hopper_step != 0)
    refuse_launch({"linear: own_wgmma takes layers of multiples of 64 elements"});
}

void hopper_forward(launcher& to, const problem& p) {
  refuse_odd_sizes(p);
  const CUtensorMap rows = map_of_rows(to, p.x, p.rows, p.inputs, hopper_tile), weight = map_of_weight(to, p);
  if (p.inputs <= hopper_step * max_resident_steps && (!p.is_split || p.outputs / 3 % hopper_step == 0))
    hopper_resident_forward(to, p);
  else if (p.behind == epilogue::swiglu)
    refuse_launch({"linear: own_wgmma takes gated layers of at most 512 inputs"});
  else
    launch_on_hopper<hopper_form::plain>(to, rows, weight, view_of(p), p.inputs, p.begins_early);
}

void own_wgmma(launcher& to, const problem& p, const switches&) {
  refuse_odd_sizes(p);
  if (p.has(output::y)) hopper_forward(to, p);
  if (!p.has(output::input_gradient)) return;
  epilogue_view out{};
  out.y = p.input_gradient;
  out.rows = p.rows;
  out.outputs = p.inputs;
  launch_on_hopper<hopper_form::gradient>(to, map_of_rows(to, p.gradient, p.rows, p.outputs, hopper_tile),
                                          map_of_transposed_weight(to, p), out, p.outputs, false);
}

}  // namespace ablate::linear
