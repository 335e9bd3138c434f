#pragma once

#include <cmath>

#include "oracles/backbone/compare_elements.cuh"
#include "oracles/sparse_conv/checked_problem.h"

namespace ablate::backbone {

/// The terms of an element that a convolution or its gradients add up, in fp64, and what it may be off by.
struct summed_products {
  double sum = 0, squares = 0;

  __device__ void add(double product) {
    sum += product;
    squares += product * product;
  }
  /// Rounds: to bf16, not to fp32.
  __device__ dense_layers::judged judge(bool rounds) const {
    return {sum, sparse_conv::tolerance_of(rounds, sum, sqrt(squares))};
  }
};

}  // namespace ablate::backbone
