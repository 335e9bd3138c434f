#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "oracles/compression_attention/checked_problem.h"

namespace ablate::compression_attention {

/// A row of q, k or v in fp64.
using row_values = std::array<double, width>;

/// A row by the oracle in fp64.
struct exact_row {
  row_values out;
  double scale, lse;               ///< as plain_outputs
  std::vector<std::int32_t> list;  ///< [selected]
};
/// Of this query among a head's rows of k and v; of the problem only `selected`, `by_index`, `compared` and
/// `first_listed` matter.
exact_row reference_row(const problem&, const row_values& query, const std::vector<row_values>& keys,
                        const std::vector<row_values>& values);
/// Of samples that are all of one head, from inputs that the oracle makes itself.
std::vector<exact_row> reference_rows(const checked_problem&, const std::vector<sampled_row>&);

}  // namespace ablate::compression_attention
