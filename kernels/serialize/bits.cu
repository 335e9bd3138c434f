// Keys by arithmetic alone: four shifts and masks spread each axis, instead of tables; the Hilbert code by
// Skilling's loop. Should move: loads, down to the three of a point's cell; instructions.
#include "kernels/serialize/interleave.cuh"
#include "kernels/serialize/keys.cuh"
#include "kernels/serialize/launches.h"
#include "kernels/serialize/skilling.cuh"

namespace ablate::serialize {

struct coder_by_bits {
  static constexpr bool reads_z_code = false;

  __device__ std::uint64_t z(unsigned x, unsigned y, unsigned z) const { return interleave(x, y, z); }
  __device__ std::uint64_t hilbert(unsigned x, unsigned y, unsigned z, std::uint64_t, int depth) const {
    unsigned axes[3] = {x, y, z};
    untangle(axes, depth);
    return gray_decoded(interleave(axes[0], axes[1], axes[2]));
  }
};

void bits(launcher& to, const problem& p, const switches& s) { serialize_by<coder_by_bits>(to, p, s); }

}  // namespace ablate::serialize
