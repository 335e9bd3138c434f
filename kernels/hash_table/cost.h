#pragma once

#include <cmath>

namespace ablate::hash_table {

/// Slots that a search looks at on average, in a table of random keys (specification: packed_hash §1.6). To
/// insert all its keys costs as much as to find them.
struct expected_probes {
  double hit = 1, miss = 1;
};

/// Knuth's formulas for 0 ≤ load < 1.
inline expected_probes expected_linear(double load) {
  const double free = 1 - load;
  return {(1 + 1 / free) / 2, (1 + 1 / (free * free)) / 2};
}

inline expected_probes expected_double_hash(double load) {
  return {load > 0 ? -std::log1p(-load) / load : 1, 1 / (1 - load)};
}

}  // namespace ablate::hash_table
