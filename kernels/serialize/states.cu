// The Hilbert code from the z-order code by a 24-state machine (hilbert_states.h), three bits per step: a
// shift, a lookup in 192 bytes of shared memory and another shift replace Skilling's three tests and
// exchanges per bit, and there is no Gray code to decode. Each step waits for the previous lookup. Should
// move: instructions issued, down; stalls on shared memory, up.
#include "kernels/serialize/hilbert_states.h"
#include "kernels/serialize/interleave.cuh"
#include "kernels/serialize/keys.cuh"
#include "kernels/serialize/launches.h"

namespace ablate::serialize {

__device__ const hilbert_states hilbert_machine = make_hilbert_states();

struct coder_by_states {
  static constexpr bool reads_z_code = true;
  const std::uint8_t* next;

  __device__ coder_by_states() {
    __shared__ std::uint8_t shared_next[sizeof hilbert_machine.next];
    for (unsigned i = threadIdx.x; i < sizeof hilbert_machine.next; i += blockDim.x)
      shared_next[i] = hilbert_machine.next[i];
    __syncthreads();
    next = shared_next;
  }

  __device__ std::uint64_t z(unsigned x, unsigned y, unsigned z) const { return interleave(x, y, z); }
  __device__ std::uint64_t hilbert(unsigned, unsigned, unsigned, std::uint64_t z_code, int depth) const {
    std::uint64_t code = 0;
    unsigned entry = 0;  // state · 8 + digits
    for (int shift = 3 * (depth - 1); shift >= 0; shift -= 3) {
      entry = next[(entry & ~7u) | (static_cast<unsigned>(z_code >> shift) & 7u)];
      code = code << 3 | (entry & 7u);
    }
    return code;
  }
};

void states(launcher& to, const problem& p, const switches& s) { serialize_by<coder_by_states>(to, p, s); }

}  // namespace ablate::serialize
