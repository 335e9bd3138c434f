#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/block_pooling/reference.h"
#include "variants/bias_figures.h"

// What the checks of pooling and of its gradients have in common: rows that were compared with plain
// arithmetic on the device, and sampled ones against fp64. Errors are in units of what is accepted.

namespace ablate::block_pooling {

/// Weights of the norm and rotations, as the device is given them; sampled rows, and what they should be.
struct known_rows {
  std::vector<float> norm, rotations;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

/// [2][2][64]: problem::norm.
std::vector<float> norm_weights(const checked_problem&);
/// [positions][angles][2]: problem::rotations.
std::vector<float> turns();

/// A tensor whose rows are all compared; sampled_row::of counts them.
struct compared_output {
  const char* name;
  std::int64_t rows;  ///< of all heads
};

/// What the device found.
struct read_rows {
  const deviation* found;    ///< of each output
  const float* sampled_out;  ///< [samples][64]
};

inline tensor_bias bias_of(const deviation& found) { return {found.signs, accepted_bias_of_bf16}; }

check_result check_rows(std::span<const compared_output>, const known_rows&, const read_rows&);

/// The greatest error of the sampled rows.
double worst_sampled(const known_rows&, const read_rows&);

/// What the check reads, without errors: on the host only the sampled rows are computed; whoever looks at the
/// whole takes a GPU. `found` has `count` elements.
void solve_rows(std::span<const compared_output>, int count, const known_rows&, deviation* found,
                float* sampled_out);

}  // namespace ablate::block_pooling
