#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// The neighboring places at which a point looks for a bucket with room: each probe goes from its voxel along
/// one of 128 directions by a random step, plus a random shift of up to half a step on each axis.
/// The random numbers are a function of (seed, point, probe), so blocks share no stream and no state is
/// stored.
class probing {
 public:
  /// Fills `shared`, [max_probes] words; the block must synchronize before the first look.
  __device__ probing(const view& v, std::uint32_t* shared) : v_(v), steps_(shared) {
    for (int i = threadIdx.x; i < v.probes; i += blockDim.x) {
      const std::int16_t* step = v.probe_steps + 3 * i;
      shared[i] = (step[0] & 0xffu) | (step[1] & 0xffu) << 8 | (step[2] & 0xffu) << 16;
    }
  }

  /// Bucket at the given probe of a point that is in voxel `at`.
  __device__ unsigned look(unsigned point, const voxel& at, int probe) const {
    const unsigned first = mix(point * 0x9e3779b1u + probe * 0x85ebca77u + v_.seed);
    const unsigned second = mix(first + 0x6d2b79f5u);
    const float stretch = 1.0f + static_cast<float>(first >> 16) * 0x1p-16f;
    const int step = __float2int_rn(v_.least_step * stretch);
    const std::uint32_t direction = steps_[probe];
    return v_.bucket_of({moved(at.x, direction, step, first & 0xffff),
                         moved(at.y, direction >> 8, step, second & 0xffff),
                         moved(at.z, direction >> 16, step, second >> 16)});
  }

  /// A number below `bound` for the point, all equally likely, of a stream apart from the probes.
  __device__ unsigned random_below(unsigned point, unsigned salt, unsigned bound) const {
    return __umulhi(mix(mix(point + v_.seed) + salt), bound);
  }

 private:
  __device__ static unsigned mix(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  /// |(level + direction · step + shift) rem Q|; `random16` gives the shift in [−step/2, step/2).
  __device__ static int moved(int level, std::uint32_t direction, int step, unsigned random16) {
    const int shift = static_cast<int>((random16 * static_cast<unsigned>(step)) >> 16) - step / 2;
    const int sum = level + static_cast<std::int8_t>(direction & 0xff) * step + shift;
    return abs(sum) % quantization_levels;
  }

  const view& v_;
  std::uint32_t* steps_;
};

}  // namespace ablate::psh_bucket
