#include "oracles/hash_table/reference.h"

#include "oracles/hash_table/key.h"
#include "oracles/hash_table/row_index.h"

namespace ablate::hash_table {
namespace {

/// Row by row, until the slots are full.
row_index inserted(const problem& p, std::int32_t& status) {
  row_index table(p.rows);
  for (std::int64_t i = 0; i < p.rows; ++i) {
    const std::uint64_t key = packed_key(p.coordinates + 4 * i);
    if (table.size() < p.slots)
      table.add(key, static_cast<std::int32_t>(i));
    else if (table.find(key) < 0)
      status = status_full;
  }
  return table;
}

/// Counts every slot's key once, at the row that the slot holds.
void summarize(const problem& p) {
  p.summary[0] = p.summary[1] = 0;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    if (p.found[i] != i) continue;
    ++p.summary[0];
    p.summary[1] += mixed(packed_key(p.coordinates + 4 * i));
  }
}

}  // namespace

void reference(const problem& p) {
  std::int32_t status = status_ok;
  const row_index table = p.last == phase::clear ? row_index(0) : inserted(p, status);
  if (p.status) *p.status = status;
  const bool searches = p.last == phase::search;
  const std::int32_t* const wanted = searches ? p.wanted : p.coordinates;
  const std::int64_t count = searches ? p.queries : p.rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t* const query = wanted + 4 * i;
    p.found[i] = p.guards && !in_range(query) ? -1 : table.find(packed_key(query));
  }
  if (!searches && p.summary) summarize(p);
}

}  // namespace ablate::hash_table
