#include "oracles/list_transpose/reference.h"

namespace ablate::list_transpose {

namespace {

/// Calls `take(row, query block)` for every entry that is taken, in the order of the table.
template <class Take>
void for_each_entry(const problem& p, Take take) {
  for (std::int64_t list = 0; list < p.rows(); ++list)
    for (int slot = 0; slot < p.selected; ++slot) {
      const std::int32_t entry = p.table[list * p.selected + slot];
      if (is_taken(entry, p.lowest, p.blocks)) take(list / p.blocks * p.blocks + entry, list % p.blocks);
    }
}

}  // namespace

void reference(const problem& p) {
  for (std::int64_t row = 0; row <= p.rows(); ++row) p.offsets[row] = 0;
  for_each_entry(p, [&](std::int64_t row, std::int64_t) { ++p.offsets[row + 1]; });
  for (std::int64_t row = 0; row < p.rows(); ++row) p.offsets[row + 1] += p.offsets[row];
  // Each row's begin moves to its end, which is where the next one begins.
  for_each_entry(p, [&](std::int64_t row, std::int64_t query) {
    p.queries[p.offsets[row]++] = static_cast<std::int32_t>(query);
  });
  for (std::int64_t row = p.rows(); row > 0; --row) p.offsets[row] = p.offsets[row - 1];
  p.offsets[0] = 0;
}

}  // namespace ablate::list_transpose
