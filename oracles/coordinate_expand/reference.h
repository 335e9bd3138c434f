#pragma once

#include <array>
#include <cstdint>

#include "oracles/coordinate_expand/checked_problem.h"

namespace ablate::coordinate_expand {

/// The expected set, whatever the order.
struct expanded_set {
  std::int64_t rows = 0;
  std::uint64_t sum_of_keys = 0;  ///< of mixed(packed key), mod 2^64
  /// Bounds on how many of its rows are sums out of range: at least those that no sum in range equals, modulo
  /// the fields' widths; at most all that are not base rows.
  std::int64_t least_out_of_range = 0, max_out_of_range = 0;
};
/// `base`: [rows][4]. About 10^7 sums per second.
expanded_set expand(const std::int32_t* base, std::int64_t rows, const std::array<int, 3>& kernel,
                    bool guards);

/// The status that a problem must end with if its set has this many rows.
expand_status expected_status(const problem&, std::int64_t rows_of_set);

/// The oracle, into host buffers: `result` and `figures`.
void reference(const checked_problem&);

}  // namespace ablate::coordinate_expand
