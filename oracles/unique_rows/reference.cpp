#include "oracles/unique_rows/reference.h"

#include "oracles/hash_table/key.h"
#include "oracles/hash_table/row_index.h"

namespace ablate::unique_rows {

void reference(const problem& p) {
  hash_table::row_index seen(p.rows);
  std::int32_t listed = 0;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    const auto row = static_cast<std::int32_t>(i);
    if (seen.add(hash_table::packed_key(p.coordinates + 4 * i), row) == row) p.list[listed++] = row;
  }
  *p.count = listed;
  *p.status = hash_table::status_ok;
}

}  // namespace ablate::unique_rows
