// Keys as published: z-order codes from a 256-entry table per axis, two lookups each; the Hilbert code by
// Skilling's loop, with its 16 bits per axis interleaved by the same tables. The published program runs each
// step for all points as a separate kernel; here one thread does all steps for a point. The tables are in
// device memory: 6 KiB, resident in L1. Should move: loads that hit L1, 6 per code.
#include "kernels/serialize/keys.cuh"
#include "kernels/serialize/launches.h"
#include "kernels/serialize/skilling.cuh"

namespace ablate::serialize {

struct spread_tables {
  std::uint64_t x[256], y[256], z[256];
};

constexpr spread_tables make_spread_tables() {
  spread_tables tables{};
  for (int value = 0; value < 256; ++value)
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint64_t set = static_cast<std::uint64_t>(value >> bit & 1);
      tables.x[value] |= set << (3 * bit + 2);
      tables.y[value] |= set << (3 * bit + 1);
      tables.z[value] |= set << 3 * bit;
    }
  return tables;
}

__device__ const spread_tables spread = make_spread_tables();

struct coder_by_tables {
  static constexpr bool reads_z_code = false;

  __device__ std::uint64_t z(unsigned x, unsigned y, unsigned z) const {
    const std::uint64_t low = spread.x[x & 255] | spread.y[y & 255] | spread.z[z & 255];
    const std::uint64_t high = spread.x[x >> 8 & 255] | spread.y[y >> 8 & 255] | spread.z[z >> 8 & 255];
    return high << 24 | low;
  }
  __device__ std::uint64_t hilbert(unsigned x, unsigned y, unsigned z, std::uint64_t, int depth) const {
    unsigned axes[3] = {x, y, z};
    untangle(axes, depth);
    return gray_decoded(this->z(axes[0], axes[1], axes[2]));
  }
};

void tables(launcher& to, const problem& p, const switches& s) { serialize_by<coder_by_tables>(to, p, s); }

}  // namespace ablate::serialize
