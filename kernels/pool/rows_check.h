#pragma once

#include <string>

#include "kernels/pool/pool.h"

namespace ablate::pool {

/// How far rows are from the answer in fp64 on the variant's own index, in what is accepted; where that is
/// more than 1, the first place.
struct rows_deviation {
  double worst = 0;
  std::string message = {};
};

/// Accepted: of means, sums and gradients of a mean an ulp of bf16; minimum, maximum, their gradients,
/// winners, unpooled rows and gradients of a sum are equal; of finished rows what their arithmetic makes of
/// an ulp before it (exact_norm::accepted). P4: padding is 0. Takes a problem with host pointers whose index
/// is right.
rows_deviation deviation_of_rows(const problem&);

}  // namespace ablate::pool
