#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracles/compression_attention/checked_problem.h"

// How checks judge lists of key blocks (findings), and those that they read themselves.

namespace ablate::compression_attention {

inline const char* description(list_fault fault) {
  switch (fault) {
    case list_fault::no_row:
      return "an entry is no key row with a score, or the list ends early";
    case list_fault::twice:
      return "a key row stands in it twice";
    case list_fault::worse:
      return "a key row outside of it scores more than one of its entries";
    case list_fault::misordered:
      return "its entries are not in the order that was asked for";
    default:
      return "nothing";
  }
}

inline std::optional<std::string> fault_of_lists(const checked_problem& p, const findings& found) {
  if (found.lists != static_cast<unsigned long long>(p.compared_rows()))
    return fmt::format("lists: {} of {} were compared", found.lists, p.compared_rows());
  if (found.wrong_lists == 0) return std::nullopt;
  const auto number = static_cast<std::int64_t>(found.first_wrong >> 3);
  return fmt::format("lists: {} of {} are wrong; of the first, row {}, head {}: {}", found.wrong_lists,
                     found.lists, number % p.rows, number / p.rows,
                     description(static_cast<list_fault>(found.first_wrong & 7)));
}

/// Of a sampled row, where its scores are exact in fp32: elsewhere the oracle may rank what is equal in
/// fp32.
inline std::optional<std::string> fault_of_list(const sampled_row& at, const std::vector<std::int32_t>& exact,
                                                const std::vector<std::int32_t>& seen) {
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (seen[i] != exact[i])
      return fmt::format("list of row {}, head {}: entry {} of {} is {}, expected {}", at.row, at.head, i,
                         exact.size(), seen[i], exact[i]);
  return std::nullopt;
}

}  // namespace ablate::compression_attention
