#pragma once

#include "kernels/matmul/matmul.h"

namespace ablate::matmul {

/// The problem as passed to a kernel.
struct view {
  const float* __restrict__ a;
  const float* __restrict__ b;
  float* __restrict__ c;
  int m, n, k;

  explicit view(const problem& p)
      : a(p.a),
        b(p.b),
        c(p.c),
        m(static_cast<int>(p.m)),
        n(static_cast<int>(p.n)),
        k(static_cast<int>(p.k)) {}
};

}  // namespace ablate::matmul
