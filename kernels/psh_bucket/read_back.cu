// What the check cannot see in the outputs: which order the variant promises.
#include "kernels/common/launch.cuh"
#include "kernels/psh_bucket/phases.h"

namespace ablate::psh_bucket {

__global__ void write_key_bits(std::int32_t* key_bits, int bits) { *key_bits = bits; }

void tell_key_bits(launcher& to, const problem& p, int key_bits) {
  launch(to, write_key_bits, dim3(1), dim3(1), 0, p.key_bits, key_bits);
}

}  // namespace ablate::psh_bucket
