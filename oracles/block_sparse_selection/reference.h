#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "oracles/block_sparse_selection/checked_problem.h"

namespace ablate::block_sparse_selection {

/// A row by the oracle: scores in fp64, and what it keeps, by a sort of all of them.
struct exact_row {
  std::vector<double> scores, bounds;  ///< [keys]; bounds: Σ|q·k|
  std::vector<std::uint32_t> kept;     ///< [words]
  std::int32_t count;
  double mass;  ///< kept, of 1

  double greatest() const;
};

/// Of a query among a head's key blocks.
using row_values = std::array<double, width>;
exact_row reference_row(const problem&, const row_values& query, const std::vector<row_values>& keys);

/// The oracle of a head, from inputs that it makes itself.
class head_oracle {
 public:
  head_oracle(const checked_problem&, std::int64_t head);
  exact_row row(std::int64_t query) const;

 private:
  checked_problem problem_;
  std::int64_t head_;
  std::vector<row_values> keys_;
};

/// What the oracle sees in a bitmap.
row_facts facts_of(const exact_row&, const std::uint32_t* kept);

}  // namespace ablate::block_sparse_selection
