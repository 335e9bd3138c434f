#include "kernels/serialize/scratch.h"

#include <bit>

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::serialize {

int problem::key_bits() const { return 3 * depth + std::bit_width(static_cast<unsigned>(instances) - 1); }

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  const std::int64_t items = p.does(phase::sort) ? p.curves * p.points : 0;
  memory.cut(words, items);
  memory.cut(sorted, items);
  memory.cut(numbers, items * p.index_bytes);
  // A sort that preserves its input needs its own buffers for the passes between the first and the last.
  temporary_bytes =
      cub_memory_bytes(items) + static_cast<std::size_t>(items * (std::int64_t{8} + p.index_bytes));
  memory.cut(temporary, p.does(phase::sort) ? static_cast<std::int64_t>(temporary_bytes) : 0);
  memory.cut(first_slot, p.pads() ? p.instances : 0);
  memory.cut(first_sequence, p.pads() ? p.instances : 0);
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::serialize
