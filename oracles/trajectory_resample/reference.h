#pragma once

#include <cstdint>

#include "kernels/common/bias.h"
#include "kernels/trajectory_resample/trajectory_resample.h"

namespace ablate::trajectory_resample {

/// The oracle of the search.
bracket bracket_of(const float* times, int samples, float target, outside);

/// Number of samples, over all trajectories, with a nonzero weight for at least one target: rows of the
/// source that must be read. Takes host pointers.
std::int64_t needed_rows(const problem&);

/// The oracle, into a host buffer: interpolation in fp64, rounded to the element type.
void reference(const problem&);

/// The greatest distance of `out` from the fp64 result, and its place in out; infinite where out is not a
/// number. In units in the last place of the element type at |(1 − α) · source_i| + |α · source_{i+1}|. Takes
/// host pointers.
struct deviation {
  double ulps = 0;
  std::int64_t at = 0;
  double expected = 0, found = 0;
  signed_errors signs{};  ///< an element a unit, sizes as for units in the last place
};
deviation deviation_of(const problem&);

/// Accepted deviation. fp32: four roundings of half an ulp, as many as 1 − α, two products and a sum make;
/// the kernels' two fused multiply-adds stay within 1 ulp. bf16: the output's rounding, half an ulp, and as
/// much again for the fp32 arithmetic (docs/operations/trajectory_resample.md, "Check").
constexpr double accepted_ulps(element type) { return type == element::float32 ? 2 : 1; }
constexpr double accepted_bias(element type) {
  return type == element::float32 ? accepted_bias_of_fp32 : accepted_bias_of_bf16;
}

}  // namespace ablate::trajectory_resample
