// Points by voxel: one kernel finds the cells, cub's radix sort orders them: 16 bytes a point read and
// written for each 8 bits of a cell's index. No atomic in device memory depends on the order in which blocks
// run, so the order is the same in every run.
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/common/call_cub.cuh"
#include "kernels/common/point_grid.cuh"
#include "kernels/common/voxel_order.h"

namespace ablate {

constexpr int order_threads = 256;

__global__ __launch_bounds__(order_threads) void find_cells(point_grid_view grid, std::uint32_t outside,
                                                            std::uint32_t* cells, std::int32_t* numbers) {
  const long long i = static_cast<long long>(blockIdx.x) * order_threads + threadIdx.x;
  if (i >= grid.points_per_cloud) return;
  const int cell = grid.in_batch(grid.cell_of_point(grid.cloud_points(), i));
  const long long number = blockIdx.y * grid.points_per_cloud + i;
  cells[number] = cell < 0 ? outside : static_cast<std::uint32_t>(cell);
  numbers[number] = static_cast<std::int32_t>(number);
}

voxel_order order_by_voxel(launcher& to, const point_grid& g, const voxel_order_memory& memory) {
  const int all_points = points_to_sort(g.all_points());
  const auto outside = static_cast<std::uint32_t>(g.all_cells());
  launch(to, find_cells, grid_of(g, order_threads), dim3(order_threads), 0, point_grid_view(g), outside,
         memory.cells[0], memory.points[0]);
  cub::DoubleBuffer<std::uint32_t> cells(memory.cells[0], memory.cells[1]);
  cub::DoubleBuffer<std::int32_t> points(memory.points[0], memory.points[1]);
  call_cub(to, "cub::DeviceRadixSort", memory.temporary, memory.temporary_bytes,
           [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
             return cub::DeviceRadixSort::SortPairs(temporary, bytes, cells, points, all_points, 0,
                                                    std::bit_width(outside), stream);
           });
  return {cells.Current(), points.Current()};
}

}  // namespace ablate
