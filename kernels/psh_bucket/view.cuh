#pragma once

#include <cuda_fp16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/common/tally.cuh"
#include "kernels/common/z_key.h"
#include "kernels/psh_bucket/scratch.h"

namespace ablate::psh_bucket {

/// A thread's event counts.
template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

struct voxel {
  int x, y, z;
};

enum class key_kind { z, z_top, exclusive_or };

/// The problem as passed to a kernel. blockIdx.y is the instance unless a kernel says otherwise.
struct view {
  const __half* coordinates;
  const std::uint32_t* ends;
  const std::int16_t* probe_steps;
  std::uint16_t* bucket_id;
  std::uint32_t* bucket_off;
  std::uint32_t* bucket_count;
  std::uint32_t* bucket_end;
  __half* scattered;
  std::uint32_t* source;
  unsigned long long* events;
  psh_bucket::scratch scratch;

  unsigned points;
  int instances, capacity, buckets, probes, segments;
  key_kind kind;
  int bucket_shift;  ///< bucket = (key >> bucket_shift) & (buckets − 1)
  phase first;       ///< the first phase requested
  bool strict, strided, claims;
  float least_step;  ///< Q · 2.56 / divisor
  unsigned seed;

  explicit view(const problem& p)
      : coordinates(reinterpret_cast<const __half*>(p.coordinates)),
        ends(p.ends),
        probe_steps(p.probe_steps),
        bucket_id(p.bucket_id),
        bucket_off(p.bucket_off),
        bucket_count(p.bucket_count),
        bucket_end(p.bucket_end),
        scattered(reinterpret_cast<__half*>(p.scattered)),
        source(p.source),
        events(p.events),
        scratch(p),
        points(static_cast<unsigned>(p.points)),
        instances(p.instances),
        capacity(p.capacity),
        buckets(p.buckets),
        probes(p.probes),
        segments(p.segments),
        first(p.first),
        strict(p.mode == mode::strict),
        strided(p.layout == layout::strided),
        claims(p.claims),
        seed(p.seed) {
    // ceil(Q / 2^k) = 2^(16 − k), so dividing by it is a shift.
    int bucket_bits = 0;
    while ((1 << bucket_bits) < buckets) ++bucket_bits;
    const bool divides = p.hash == hash::z_div || p.hash == hash::xor_div || p.hash == hash::z_top_div;
    bucket_shift = divides ? 16 - bucket_bits : 0;
    kind = key_kind::z;
    if (p.hash == hash::z_top_div || p.hash == hash::z_top_mod) kind = key_kind::z_top;
    if (p.hash == hash::xor_div || p.hash == hash::xor_mod) kind = key_kind::exclusive_or;
    least_step = 2.56f * quantization_levels / static_cast<float>(65536 / buckets);
  }

  __device__ unsigned begin_of(int instance) const { return instance == 0 ? 0 : ends[instance - 1]; }
  __device__ unsigned end_of(int instance) const { return ends[instance]; }

  __device__ voxel voxel_of(unsigned point, const voxel_scale& box) const {
    return voxel_at(coordinates + 3ull * point, box);
  }
  __device__ static voxel voxel_at(const __half* c, const voxel_scale& box) {
    return {level(__half2float(c[0]), box.low[0], box.scale[0]),
            level(__half2float(c[1]), box.low[1], box.scale[1]),
            level(__half2float(c[2]), box.low[2], box.scale[2])};
  }

  /// The 16-bit key of a voxel.
  __device__ unsigned key_of(const voxel& v) const {
    switch (kind) {
      case key_kind::z:  // z16_of, written out: its call would order operands otherwise than in the record
                         // of these kernels. Highest first: y15 x15 z14 … x11 z10 y10
        return spread_six_bits(v.y >> 10) | spread_six_bits((v.z >> 10) & 31) << 1 |
               spread_six_bits(v.x >> 11) << 2;
      case key_kind::z_top:  // Morton bits 32 … 47: z15 y15 x15 … y11 x11 z10
        return spread_six_bits(v.z >> 10) | spread_six_bits(v.x >> 11) << 1 | spread_six_bits(v.y >> 11) << 2;
      case key_kind::exclusive_or:
        break;
    }
    return static_cast<unsigned>(v.x ^ v.y ^ v.z);
  }

  __device__ unsigned bucket_of_key(unsigned key) const { return (key >> bucket_shift) & (buckets - 1); }
  __device__ unsigned bucket_of(const voxel& v) const { return bucket_of_key(key_of(v)); }

  /// Bucket 0 in the published modes: never full, never a probe target.
  __device__ bool is_bin(unsigned bucket) const { return !strict && bucket == 0; }

  /// Row of a point in the scattered arrays; `bucket_begin`: points of its instance in earlier buckets.
  __device__ unsigned row_of(int instance, unsigned instance_begin, unsigned bucket, unsigned bucket_begin,
                             unsigned offset) const {
    return strided ? (instance * buckets + bucket) * capacity + offset
                   : instance_begin + bucket_begin + offset;
  }

  /// Rows of the scattered arrays.
  __device__ unsigned rows() const {
    return strided ? static_cast<unsigned>(instances) * buckets * capacity
                   : (points + capacity - 1) / capacity * capacity;
  }

  __device__ void write_row(unsigned row, unsigned point) const {
    const __half* from = coordinates + 3ull * point;
    __half* to = scattered + 3ull * row;
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    source[row] = point;
  }

  __device__ void write_padding(unsigned row) const {
    __half* to = scattered + 3ull * row;
    to[0] = to[1] = to[2] = __ushort_as_half(padding_half);
    source[row] = points;
  }

 private:
  __device__ static int level(float c, float low, float scale) {
    const float at = floorf(__fmul_rn(__fsub_rn(c, low), scale));
    return static_cast<int>(fminf(fmaxf(at, 0.0f), quantization_levels - 1.0f));
  }
};

/// One thread per point: a block for every 1024 points of the largest instance, times instances.
inline dim3 grid_of(const problem& p) {
  return dim3(static_cast<unsigned>(blocks_of(p)), static_cast<unsigned>(p.instances));
}

}  // namespace ablate::psh_bucket
