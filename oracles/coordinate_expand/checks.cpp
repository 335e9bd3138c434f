#include "oracles/coordinate_expand/checks.h"

#include <fmt/format.h>

namespace ablate::coordinate_expand {

std::optional<std::string> violated(const checked_problem& p, const expanded_set& all) {
  const auto differs = [](const char* what, auto expected, auto found) -> std::optional<std::string> {
    if (expected == found) return std::nullopt;
    return fmt::format("{}: expected {}, found {}", what, expected, found);
  };
  const std::int32_t status = expected_status(p, all.rows);
  if (const auto difference = differs("status", status, p.result->status)) return difference;
  if (status != expand_ok) return std::nullopt;

  if (const auto difference = differs("rows", all.rows, std::int64_t{p.result->rows})) return difference;
  const auto rows = static_cast<std::uint64_t>(all.rows);
  if (const auto difference = differs("occupied slots", rows, p.figures[occupied_slots])) return difference;
  if (const auto difference =
          differs("sum of the slots' mixed keys", all.sum_of_keys, p.figures[keys_of_slots]))
    return difference;
  if (const auto difference =
          differs("sum of the rows' mixed keys", all.sum_of_keys, p.figures[keys_of_rows]))
    return difference;
  if (const auto difference =
          differs("rows that the table has under their number", rows, p.figures[rows_found]))
    return difference;
  const auto least = static_cast<std::uint64_t>(all.least_out_of_range);
  const auto most = static_cast<std::uint64_t>(all.max_out_of_range);
  if (const std::uint64_t found = p.figures[rows_out_of_range]; !(found >= least && found <= most))
    return fmt::format("rows out of range, as they were summed up: expected {} to {}, found {}", least, most,
                       found);
  return differs("rows that have another number than they should", std::uint64_t{0},
                 p.figures[rows_out_of_place]);
}

}  // namespace ablate::coordinate_expand
