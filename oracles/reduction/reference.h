#pragma once

#include "kernels/reduction/reduction.h"

namespace ablate::reduction {

/// What the sum is, and what a sum in fp32 may deviate from it.
struct exact_sum {
  double sum = 0;   ///< of fp64 additions
  double norm = 0;  ///< ‖in‖₂
  /// What the longest chain may deviate, count atomics one after the other, in an order that has nothing to
  /// do with the numbers; sums by blocks have shorter chains and stay within all the more. With u = 2^-24,
  /// the rounding of partial sum S_k has variance S_k²·u²/3 at most, and in random order E ΣS_k² =
  /// count·(norm²/6 + sum²/3): a standard deviation of u·√(count·(norm² + 2·sum²)/18). The tolerance is 17 of
  /// those, 4·u·√(count·(norm² + 2·sum²)), because ΣS_k² varies as well: such a sum goes beyond x of them
  /// with a probability of some e^(−1.28·x), here 10^-9. One number of 0.5 left out is found up to 2 million
  /// numbers; beyond, by integers alone.
  /// The tolerance is 0 where all numbers are integers below 2^8: fp32 adds them exactly in every order while
  /// partial sums stay below 2^24. Those of 2^16 numbers must; those of more do because signs are random: the
  /// sum of 2^28 odd integers from −15 to 15 has a standard deviation of 1.5·10^5, 1 % of 2^24.
  double tolerance = 0;
};

/// The oracle. Of a problem with host pointers.
exact_sum exact(const problem&);

}  // namespace ablate::reduction
