#pragma once

#include <cstdint>

#include "kernels/common/launcher.h"
#include "kernels/network/problem.h"

namespace ablate::backbone {

/// Rows on their way into the windows along a curve: sum = x + LN(y), rounded to bf16, and of each slot
/// normed[slot] = LN'(sum[row_of_slot[slot]]). Rows are bf16 [rows][channels], 32 to 512 channels, norms
/// gamma and after it beta, fp32. `sum` is none of the inputs.
struct entering_rows {
  std::int64_t slots = 0;
  int channels = 0;
  const std::uint16_t *x = nullptr, *y = nullptr;
  const float *norm = nullptr, *next_norm = nullptr;
  const std::int32_t* row_of_slot = nullptr;  ///< [slots]
  const std::int32_t* slot_of_row = nullptr;  ///< [rows]: the row's representative slot
  std::uint16_t *sum = nullptr, *normed = nullptr;
  bool begins_early = false;  ///< while the preceding kernel still runs (dependent_launch.cuh)
};
void enter_windows(launcher&, const entering_rows&);

/// Back: sum[row] = x[row] + y[slot_of_row[row]], rounded, and, of more channels than an MLP in one launch
/// takes (mlp::max_fused_channels), normed = LN'(sum). Throws launch_error where `has_norm` says otherwise.
struct leaving_rows {
  std::int64_t rows = 0;
  int channels = 0;
  const std::uint16_t *x = nullptr, *y = nullptr;  ///< y: [slots][channels]
  const float* next_norm = nullptr;
  const std::int32_t* slot_of_row = nullptr;
  std::uint16_t *sum = nullptr, *normed = nullptr;
  bool has_norm = false;
  bool begins_early = false;
};
void leave_windows(launcher&, const leaving_rows&);

/// A pass's steps of these kinds.
entering_rows entering_of(const problem&, const network&, const step&, bool begins_early = false);
leaving_rows leaving_of(const problem&, const network&, const step&, bool begins_early = false);

}  // namespace ablate::backbone
