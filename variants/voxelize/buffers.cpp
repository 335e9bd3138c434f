#include "variants/voxelize/buffers.h"

namespace ablate::voxelize {

std::size_t grid_bytes(const problem& p) { return sizeof(std::int32_t) * p.all_cells(); }

std::vector<buffer> buffers(const problem& p) {
  const std::size_t bytes_of_points = 3 * sizeof(float) * p.all_points();
  return {{"points", bytes_of_points, buffer_role::input},
          {"grid", grid_bytes(p), buffer_role::output,
           p.clears_grid ? buffer_reset::poison : buffer_reset::zeros},
          {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros},
          {"points_soa", bytes_of_points, buffer_role::input},
          {"scratch", sort_scratch_bytes(p), buffer_role::scratch, buffer_reset::poison},
          {"bins", bin_bytes(p), buffer_role::scratch, buffer_reset::poison},
          {"queues", queue_bytes(p), buffer_role::scratch, buffer_reset::poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.points = static_cast<const float*>(addresses[points_aos]);
  p.grid = addresses[grid];
  p.events = static_cast<unsigned long long*>(addresses[events]);
  p.points_soa = static_cast<const float*>(addresses[points_soa]);
  p.scratch = addresses[scratch];
  p.bins = addresses[bins];
  p.queues = addresses[queues];
}

}  // namespace ablate::voxelize
