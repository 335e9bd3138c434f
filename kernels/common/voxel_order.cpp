#include "kernels/common/voxel_order.h"

#include "kernels/common/cub_memory.h"

namespace ablate {

void voxel_order_memory::cut(memory_cutter& memory, const point_grid& g) {
  for (auto*& array : cells) memory.cut(array, g.all_points());
  for (auto*& array : points) memory.cut(array, g.all_points());
  temporary_bytes = cub_memory_bytes(g.all_points());
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
}

}  // namespace ablate
