#include "kernels/reduction/reduction.h"

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::reduction {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  temporary_bytes = cub_memory_bytes(0);
  memory.cut(temporary, static_cast<std::int64_t>(temporary_bytes));
  bytes = memory.used;
}

std::size_t scratch_bytes() { return scratch(problem{}).bytes; }

}  // namespace ablate::reduction
