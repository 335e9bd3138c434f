#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/window_attention/window_attention.h"
#include "oracles/window_attention/deviation.h"
#include "oracles/window_attention/generated_inputs.h"

namespace ablate::window_attention {

/// Attention with what its comparison needs besides.
struct checked_problem : problem {
  generated_inputs inputs = {};  ///< its sizes match the problem's

  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviations* found = nullptr;   ///< [1], written by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][width], written by the comparison
  float* sampled_lse = nullptr;  ///< [sample_count], written by the comparison
  void* reference = nullptr;     ///< reference_bytes(problem), zeros before the first comparison
};

/// The results of plain fp32 attention, in the problem's row order.
struct plain_outputs {
  unsigned* is_there;  ///< nonzero once computed
  float* out;          ///< [batches][tokens][heads][width]
  float* scale;        ///< [batches][tokens][heads]: the divisor of each row's error (deviation)
  float* lse;          ///< [batches][heads][tokens]
};
plain_outputs cut_reference(const checked_problem&, std::size_t* bytes = nullptr);
std::size_t reference_bytes(const problem&);

}  // namespace ablate::window_attention
