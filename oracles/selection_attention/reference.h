#pragma once

#include <array>

#include "oracles/selection_attention/checked_problem.h"

namespace ablate::selection_attention {

/// A row by the oracle in fp64, from inputs that it makes itself.
struct exact_row {
  std::array<double, width> out;
  double scale, lse;  ///< as plain_outputs
};
exact_row reference_row(const checked_problem&, const sampled_row&);

}  // namespace ablate::selection_attention
