#pragma once

#include <cuda_runtime.h>

namespace ablate::packed_exp2_gpu_test {

/// powers[i]: 2 to the c times scores[i], less what is subtracted, as a pair of bf16. On the device, both of
/// `count`.
void take_powers(const float2* scores, unsigned* powers, int count, float c, float subtracted);

}  // namespace ablate::packed_exp2_gpu_test
