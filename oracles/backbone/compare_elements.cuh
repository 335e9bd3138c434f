// What the check of a step has in common with the others: elements compared with what is right for them, by
// plain arithmetic on the step's inputs.
#pragma once

#include "kernels/common/launch.cuh"
#include "oracles/backbone/checked_problem.h"
#include "oracles/common/dense/compare.cuh"

namespace ablate::backbone {

constexpr int comparing_threads = 256;

/// What must be 0 exactly.
__device__ inline dense_layers::judged nothing() { return {0, 0x1p-140}; }
/// Equal.
__device__ inline dense_layers::judged exactly(double expected) { return {expected, 0x1p-140}; }

/// `Rows`: `elements` in rows of `channels`, what is `seen` of each and what is `right`.
template <class Rows>
__global__ __launch_bounds__(comparing_threads) void compare_elements(Rows rows,
                                                                      dense_layers::comparison* found) {
  dense_layers::tally_of_errors errors;
  for (long long i = blockIdx.x * static_cast<long long>(comparing_threads) + threadIdx.x; i < rows.elements;
       i += gridDim.x * static_cast<long long>(comparing_threads))
    errors.add(i, rows.seen(i), rows.right(i));
  errors.write(found);
}

template <class Rows>
__global__ void describe_elements(Rows rows, dense_layers::comparison* found) {
  if (found->elements == 0) return;
  const long long at = dense_layers::worst_element(*found);
  dense_layers::describe_worst(*found, rows.channels, rows.right(at).expected, rows.seen(at));
}

/// Beside others of a step, which are cleared.
template <class Rows>
void compare_more_rows(launcher& to, const Rows& rows, dense_layers::comparison* found) {
  launch(to, compare_elements<Rows>, dim3(8 * static_cast<unsigned>(to.device().multiprocessors)),
         dim3(comparing_threads), 0, rows, found);
  launch(to, describe_elements<Rows>, dim3(1), dim3(1), 0, rows, found);
}

template <class Rows>
void compare_rows(launcher& to, const Rows& rows, dense_layers::comparison* found) {
  dense_layers::clear(to, found, comparisons_of_step);
  compare_more_rows(to, rows, found);
}

}  // namespace ablate::backbone
