#include "variants/voxelize/buffers.h"

namespace ablate::voxelize {

std::size_t grid_bytes(const problem& p) { return sizeof(std::int32_t) * p.all_cells(); }

bound_buffers buffers(problem& p) {
  const std::size_t bytes_of_points = 3 * sizeof(float) * p.all_points();
  return {bind("points", p.points, bytes_of_points, buffer_role::input),
          bind("grid", p.grid, grid_bytes(p), buffer_role::output,
               p.clears_grid ? buffer_reset::poison : buffer_reset::zeros),
          bind("events", p.events, sizeof(unsigned long long) * event_count, buffer_role::instruments,
               buffer_reset::zeros),
          bind("points_soa", p.points_soa, bytes_of_points, buffer_role::input),
          bind("scratch", p.scratch, sort_scratch_bytes(p), buffer_role::scratch, buffer_reset::poison),
          bind("bins", p.bins, bin_bytes(p), buffer_role::scratch, buffer_reset::poison),
          bind("queues", p.queues, queue_bytes(p), buffer_role::scratch, buffer_reset::poison)};
}

}  // namespace ablate::voxelize
