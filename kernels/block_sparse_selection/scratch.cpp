#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::block_sparse_selection {

sort_scratch cut_scratch(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.scratch)};
  sort_scratch scratch{};
  const std::int64_t pairs = p.queries * p.keys;
  cutter.cut(scratch.scores, pairs);
  cutter.cut(scratch.sorted_scores, pairs);
  cutter.cut(scratch.numbers, pairs);
  cutter.cut(scratch.sorted_numbers, pairs);
  // Where cub is given no second buffers, it takes as much as both again.
  scratch.temporary_bytes = cub_memory_bytes(pairs) + 8 * static_cast<std::size_t>(pairs);
  cutter.cut(scratch.temporary, static_cast<std::int64_t>(scratch.temporary_bytes));
  if (bytes) *bytes = cutter.used;
  return scratch;
}

std::size_t scratch_bytes(const problem& p) { return bytes_cut(cut_scratch, p); }

}  // namespace ablate::block_sparse_selection
