#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "oracles/block_sparse_selection/checked_problem.h"
#include "oracles/block_sparse_selection/mean_findings.h"
#include "oracles/block_sparse_selection/reference.h"

// What checks say of a wrong choice of key blocks.

namespace ablate::block_sparse_selection {

inline const char* description(row_fault fault) {
  switch (fault) {
    case row_fault::no_block:
      return "a bit behind the last key block is set";
    case row_fault::miscounted:
      return "the count is not the number of its bits";
    case row_fault::few:
      return "it keeps less than was asked for";
    case row_fault::many:
      return "without its last key block it keeps all that was asked for";
    case row_fault::worse:
      return "a key block that it leaves scores more than one that it keeps";
    case row_fault::tie:
      return "of equal scores it keeps a later key block and leaves an earlier one";
    default:
      return "nothing";
  }
}

/// Of means that the device has judged, of so many blocks a head.
inline std::optional<std::string> fault_of_means(const std::string& what, const mean_findings& found,
                                                 std::int64_t heads, std::int64_t blocks) {
  if (found.judged != static_cast<unsigned long long>(heads * blocks))
    return fmt::format("{}: {} of {} were judged", what, found.judged, heads * blocks);
  if (found.wrong == 0) return std::nullopt;
  const auto first = static_cast<std::int64_t>(found.first_wrong);
  return fmt::format("{}: {} of {} are wrong; the first, block {}, head {}", what, found.wrong, found.judged,
                     first % blocks, first / blocks);
}

/// Of all rows that the device has judged.
inline std::optional<std::string> fault_of_rows(const problem& p, const findings& of) {
  if (of.rows != static_cast<unsigned long long>(p.rows()))
    return fmt::format("rows: {} of {} were judged", of.rows, p.rows());
  if (of.wrong_rows == 0) return std::nullopt;
  const auto number = static_cast<std::int64_t>(of.first_wrong >> 3);
  return fmt::format("rows: {} of {} are wrong; the first, query block {}, head {}: {}", of.wrong_rows,
                     of.rows, number % p.queries, number / p.queries,
                     description(static_cast<row_fault>(of.first_wrong & 7)));
}

/// Of a row that the oracle knows.
inline std::string fault_by_oracle(const sampled_row& at, const exact_row& exact, row_fault fault) {
  return fmt::format("query block {}, head {}, by the oracle, which keeps {} key blocks: {}", at.row, at.head,
                     exact.count, description(fault));
}

}  // namespace ablate::block_sparse_selection
