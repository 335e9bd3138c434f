#include "oracles/hash_table/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/hash_table/key.h"

namespace ablate::hash_table {
namespace {

std::string place(const char* what, std::int64_t index, const std::int32_t* coordinate) {
  return fmt::format("{} {} ({}, {}, {}, {})", what, index, coordinate[0], coordinate[1], coordinate[2],
                     coordinate[3]);
}

std::string status_text(std::int32_t status) {
  if (status == status_ok) return "ok";
  return status == status_full ? "full" : std::to_string(status);
}

std::optional<std::string> violated_status(const problem& p, std::int32_t expected) {
  if (*p.status == expected) return std::nullopt;
  return fmt::format("status: expected {}, found {}", status_text(expected), status_text(*p.status));
}

bool is_row_of_class(const problem& p, const row_classes& classes, std::int32_t row, std::int32_t smallest) {
  return row >= 0 && row < p.rows && classes.smallest[static_cast<std::size_t>(row)] == smallest;
}

/// Why `found[i]` is not a correct answer for row i.
std::optional<std::string> violated_row(const problem& p, const row_classes& classes, std::int64_t i,
                                        bool may_be_missing) {
  const std::int32_t row = p.found[i], smallest = classes.smallest[static_cast<std::size_t>(i)];
  const auto expected = [&](const std::string& what) {
    return fmt::format("{}: expected {}, found {}", place("row", i, p.coordinates + 4 * i), what, row);
  };
  if (p.last == phase::clear)
    return row == -1 ? std::nullopt : std::optional(expected("−1 in an empty table"));
  if (row != p.found[smallest])
    return expected(fmt::format("{}, as for row {} of the same coordinates", p.found[smallest], smallest));
  if (row == -1 && may_be_missing) return std::nullopt;
  if (p.keeps_smallest && row != smallest)
    return expected(fmt::format("{}, the smallest row of these coordinates", smallest));
  if (!is_row_of_class(p, classes, row, smallest))
    return expected(fmt::format("a row of the same coordinates ({}, say)", smallest));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> violated_by_insertion(const problem& p, const row_classes& classes) {
  const bool inserts = p.last != phase::clear;
  const bool is_full = inserts && classes.distinct > p.slots;
  if (auto violation = violated_status(p, is_full ? status_full : status_ok)) return violation;

  std::uint64_t found = 0, sum = 0;
  for (std::int64_t i = 0; i < p.rows; ++i) {
    if (auto violation = violated_row(p, classes, i, is_full)) return violation;
    if (p.found[i] < 0 || classes.smallest[static_cast<std::size_t>(i)] != i) continue;
    ++found;
    sum += mixed(packed_key(p.coordinates + 4 * i));
  }
  const auto expected =
      inserts ? static_cast<std::uint64_t>(std::min<std::int64_t>(classes.distinct, p.slots)) : 0;
  if (found != expected) return fmt::format("keys found: expected {}, found {}", expected, found);
  if (p.summary[0] != expected)
    return fmt::format("occupied slots: expected {}, found {}", expected, p.summary[0]);
  if (p.summary[1] != sum)
    return fmt::format("sum of the slots' mixed keys: expected {:016x}, found {:016x}", sum, p.summary[1]);
  return std::nullopt;
}

std::optional<std::string> violated_by_search(const problem& p, const row_classes& classes,
                                              std::span<const std::int32_t> wanted_rows) {
  if (auto violation = violated_status(p, status_ok)) return violation;
  for (std::int64_t i = 0; i < p.queries; ++i) {
    const std::int32_t row = p.found[i], wanted = wanted_rows[static_cast<std::size_t>(i)];
    if (row == wanted || (wanted >= 0 && is_row_of_class(p, classes, row, wanted))) continue;
    return fmt::format("{}: expected {}, found {}", place("query", i, p.wanted + 4 * i), wanted, row);
  }
  return std::nullopt;
}

}  // namespace ablate::hash_table
