#pragma once

#include <string>
#include <vector>

#include "kernels/common/bias.h"
#include "kernels/pool/pool.h"

namespace ablate::pool {

/// How far rows are from the answer in fp64 on the variant's own index, in what is accepted; where that is
/// more than 1, the first place.
struct rows_deviation {
  /// Of rows that need not be equal, an element a unit.
  struct rounded_rows {
    std::string name;
    signed_errors signs{};
  };

  double worst = 0;
  std::string message = {};
  std::vector<rounded_rows> rounded = {};
};

/// Accepted: of means, sums and gradients of a mean an ulp of bf16; minimum, maximum, their gradients,
/// winners, unpooled rows and gradients of a sum are equal; of finished rows what their arithmetic makes of
/// an ulp before it (exact_norm::accepted). P4: padding is 0. Takes a problem with host pointers whose index
/// is right.
rows_deviation deviation_of_rows(const problem&);

}  // namespace ablate::pool
