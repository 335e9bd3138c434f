#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/window_attention_backward/checked_problem.h"

// What the checks of dense attention's gradients have in common: all rows were compared with plain fp32
// gradients on the device, and some are read and compared with fp64.

namespace ablate::window_attention_backward {

struct known_gradients {
  std::vector<window_attention::sampled_row> samples;  ///< checked_problem::samples
  /// [sample_count][width]: of dQ, dK, dV. Empty: too far to compute, so those rows are not judged in fp64.
  std::array<std::vector<double>, 3> exact;
  double systematic = accepted_bias_of_bf16;  ///< what may be left in the mean over all rows
};

/// What the device found.
struct read_gradients {
  const deviations* found;
  const float* sampled;  ///< checked_problem::sampled_gradients
};

/// `rows`: of all heads.
check_result check_gradients(std::int64_t rows, const known_gradients&, const read_gradients&);
nlohmann::ordered_json quality_of_gradients(const known_gradients&, const read_gradients&);

/// What the check reads, without errors: on the host only the sampled rows are computed; checking all rows
/// takes a GPU.
void solve_gradients(std::int64_t rows, const known_gradients&, deviations* found, float* sampled);

}  // namespace ablate::window_attention_backward
