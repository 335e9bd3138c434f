#include "kernels/pool/scratch.h"

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::pool {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const bool grid = p.is_grid();
  memory.cut(table, grid ? 0 : p.capacity() * p.ratio);
  memory.cut(arrived, grid ? 0 : p.instances);
  const std::int64_t of_row = grid ? p.pitch() : 0, of_curve = of_row * p.curves;
  memory.cut(heads, of_curve);
  memory.cut(words, of_curve);
  memory.cut(sorted, of_curve);
  memory.cut(numbers, of_row);
  memory.cut(indices, of_curve);
  memory.cut(ids, of_row);
  memory.cut(sums, of_row + 1);
  memory.cut(order, of_row);
  memory.cut(rows, 4 * of_row);
  memory.cut(claims, of_row);
  memory.cut(names, of_row);
  memory.cut(slots, of_row);
  memory.cut(ranks, of_row);
  memory.cut(counts, of_row + 1);
  memory.cut(hash_table, grid ? 12 * slots_for(p.points) : 0);
  // A sort that preserves its input needs its own buffers for the passes between the first and the last.
  temporary_bytes = grid ? cub_memory_bytes(of_curve) + static_cast<std::size_t>(of_curve) * 16 : 0;
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

std::int64_t state_words(const problem& p) {
  // Flags of tiles; of one launch, tiles that are done and blocks that wait no more.
  return p.is_grid() ? p.curves * tiles_of(p.points) + 2 : 0;
}

}  // namespace ablate::pool
