// What the check cannot see in the outputs: the leading bits of the key by which a variant sorts, 0 where it
// hashes.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/psh_bucket/launches.h"
#include "oracles/psh_bucket/launches.h"

namespace ablate::psh_bucket {

__global__ void write_key_bits(std::int32_t* key_bits, int bits) { *key_bits = bits; }

void tell_key_bits(launcher& to, const checked_problem& p, int key_bits) {
  launch(to, write_key_bits, dim3(1), dim3(1), 0, p.key_bits, key_bits);
}

void tell_hashed(launcher& to, const checked_problem& p, const switches&) { tell_key_bits(to, p, 0); }

void tell_sorted(launcher& to, const checked_problem& p, const switches& s) {
  tell_key_bits(to, p, s.has("key_bits") ? static_cast<int>(s.integer("key_bits")) : 16);
}

}  // namespace ablate::psh_bucket
