#include "kernels/unique_rows/scratch.h"

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::unique_rows {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  memory.cut(flags, p.rows);
  for (auto*& array : rows) memory.cut(array, p.rows);
  for (auto*& array : keys) memory.cut(array, p.rows);
  temporary_bytes = cub_memory_bytes(p.rows);
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

std::size_t table_bytes(const problem& p) { return 12 * static_cast<std::size_t>(p.slots); }

}  // namespace ablate::unique_rows
