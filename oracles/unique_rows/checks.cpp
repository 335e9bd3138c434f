#include "oracles/unique_rows/checks.h"

#include <fmt/format.h>

#include <vector>

namespace ablate::unique_rows {

std::optional<std::string> violated(const problem& p, const hash_table::row_classes& classes) {
  if (*p.status != hash_table::status_ok) return fmt::format("status: expected ok, found {}", *p.status);
  if (*p.count != classes.distinct)
    return fmt::format("count: expected {} distinct coordinates, found {}", classes.distinct, *p.count);
  std::vector<bool> listed(static_cast<std::size_t>(p.rows));
  for (std::int64_t i = 0, before = -1; i < classes.distinct; before = p.list[i++]) {
    const std::int32_t row = p.list[i];
    const auto expected = [&](const std::string& what) {
      return fmt::format("list[{}]: expected {}, found {}", i, what, row);
    };
    if (!(row > before && row < p.rows))
      return expected(fmt::format("a row from {} to {}", before + 1, p.rows - 1));
    const std::int32_t smallest = classes.smallest[static_cast<std::size_t>(row)];
    if (p.keeps_smallest && row != smallest)
      return expected(fmt::format("{}, the smallest row of these coordinates", smallest));
    if (listed[static_cast<std::size_t>(smallest)])
      return expected(fmt::format("no second row of the coordinates of row {}", smallest));
    listed[static_cast<std::size_t>(smallest)] = true;
  }
  return std::nullopt;
}

}  // namespace ablate::unique_rows
