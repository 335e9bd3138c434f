#include "kernels/hard_voxelize/scratch.h"

namespace ablate::hard_voxelize {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t points = p.all_points(), slots = std::max(hash_slots(p), p.all_cells());
  for (auto** array : {&slot_of, &rank_of, &first_of, &number_at}) memory.cut(*array, points);
  memory.cut(begins, points);
  memory.cut(keys, hash_slots(p));
  memory.cut(first, slots);
  memory.cut(count, slots);
  memory.cut(number, slots);
  memory.cut(found_voxels, p.batch);
  order.cut(memory, p);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::hard_voxelize
