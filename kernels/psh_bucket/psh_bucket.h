#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::psh_bucket {

/// Points of fp16 coordinates → buckets of a fixed capacity, by perfect spatial hashing (Flash3D, §4 and
/// supplement, §10.1; docs/operations/psh_bucket.md). A point is hashed to a bucket and takes the next slot
/// in it; if the bucket is full, places near its voxel are probed for a bucket with room. The coordinates are
/// then scattered so that each bucket's points are contiguous.

/// The 16-bit key of a voxel, and how it maps to a bucket: key / ceil(Q / buckets), or key mod buckets. z:
/// bits 31 … 46 of the Morton code with x lowest (as published, which loses the highest z bit); z_top: bits
/// 32 … 47; xor: x ^ y ^ z.
enum class hash { z_div, z_mod, xor_div, xor_mod, z_top_div, z_top_mod };

/// What happens to a point whose bucket is full.
enum class mode {
  published,  ///< one probing attempt, then bucket 0 as recycle bin, then a drain that ignores capacity
  described,  ///< as published, with one attempt in each of eight probe segments
  strict      ///< no bin: leftovers of probing fill the free places, so no bucket exceeds its capacity
};

/// Where a bucket's points go in the scattered arrays.
enum class layout {
  compact,  ///< row = start of the instance + points of earlier buckets + offset
  strided  ///< row = (instance · buckets + bucket) · capacity + offset; free places are padding (strict only)
};

/// How coordinates become voxels: each axis scaled by its own extent, or all by the longest one. In fp32,
/// round to nearest, no contraction: clamp(floor((c − low) · (Q / (high − low))), 0, Q − 1); 0 on an axis of
/// zero extent.
enum class quantization { per_axis, isotropic };

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  prepare,    ///< zero the counters, find the bounding box
  insert,     ///< hash every point and rank it in its bucket
  rebalance,  ///< points beyond capacity leave and try their probes
  drain,      ///< drain the bin; strict: leftovers into free places
  scatter     ///< prefix sum over buckets, scatter coordinates and features
};

/// What the instrumented kernels count, over all threads and launches. Variants without them leave `points`
/// at 0.
enum event {
  points,          ///< points hashed
  overflows,       ///< points whose home bucket was full (V)
  probes,          ///< probes evaluated
  attempts,        ///< eligible probes that were claimed (A)
  failures,        ///< claims on a bucket that had meanwhile filled up (F)
  leftovers,       ///< points that no probe could place (R)
  drained,         ///< points moved by the drain
  global_atomics,  ///< atomics on counters in device memory (lanes)
  shared_atomics,  ///< atomics on counters in shared memory (lanes)
  event_count
};

constexpr int quantization_levels = 65535;  ///< Q: voxels are 0 … Q − 1 on each axis
constexpr int max_probes = 128;
constexpr std::uint16_t padding_half = 0;  ///< fp16 bits of the coordinates in padding rows

/// After `rebalance` in strict mode, this bit of `bucket_off` marks a leftover: its bucket is its home
/// bucket, and the lower bits are its rank among that bucket's leftovers.
constexpr std::uint32_t leftover_bit = 0x80000000u;

struct problem {
  int instances = 1;                  ///< at most 65535
  std::int64_t points = 0;            ///< over all instances, below 2^31
  std::int64_t largest_instance = 0;  ///< points in the largest instance
  int capacity = 512;                 ///< S: places per bucket; a multiple of 16
  int buckets = 256;                  ///< NB, per instance; a power of two, 32 … 8192
  ablate::psh_bucket::hash hash = hash::z_div;
  ablate::psh_bucket::mode mode = mode::strict;
  ablate::psh_bucket::layout layout = layout::compact;
  ablate::psh_bucket::quantization quantization = quantization::per_axis;
  int probes = max_probes;  ///< probes a point may try, 0 … 128
  int segments = 1;         ///< attempts: the probes are split into this many segments (1 … 128)
  int channels = 0;         ///< per feature row, bf16; a multiple of 8; 0 = no features
  std::uint32_t seed = 1;   ///< for the random probe steps
  phase first = phase::prepare, last = phase::scatter;
  bool claims =
      true;  ///< false: `rebalance` only searches and leaves outputs alone (its cost without atomics)

  // Inputs.
  const std::uint16_t* coordinates =
      nullptr;                          ///< [points][3] fp16 bits, instances one after the other, finite
  const std::uint32_t* ends = nullptr;  ///< [instances]: end of each instance, cumulative
  const std::int16_t* probe_steps = nullptr;  ///< [128][3]: neighbor directions, in probing order
  const std::uint16_t* features = nullptr;    ///< [points][channels] bf16

  // Outputs.
  std::uint16_t* bucket_id = nullptr;     ///< [points]
  std::uint32_t* bucket_off = nullptr;    ///< [points]: place in that bucket
  std::uint32_t* bucket_count = nullptr;  ///< [instances][buckets]
  std::uint32_t* bucket_end = nullptr;    ///< [instances][buckets]: inclusive prefix sum of bucket_count
  std::uint16_t* scattered = nullptr;  ///< [rows][3] fp16 bits, in bucket order; padding_half in padding rows
  std::uint32_t* source = nullptr;     ///< [rows]: the point in the row; ≥ points: padding
  std::uint16_t* scattered_features = nullptr;  ///< [rows][channels] bf16; 0 in padding rows

  unsigned* tickets = nullptr;           ///< one: blocks of `prepare` that are done; 0 before and after
  void* scratch = nullptr;               ///< scratch_bytes(problem)
  unsigned long long* events = nullptr;  ///< [event_count]; null = the plain form of the kernels

  bool does(phase p) const { return first <= p && p <= last; }
  /// Whether `bucket_end` is written: by the scatter, and when strict mode fills free places.
  bool ends_buckets() const { return does(phase::scatter) || (mode == mode::strict && does(phase::drain)); }
  /// Rows of the scattered arrays. Compact: the points, padded to a multiple of the capacity; strided: every
  /// place of every bucket.
  std::int64_t rows() const {
    if (layout == layout::strided) return static_cast<std::int64_t>(instances) * buckets * capacity;
    return (points + capacity - 1) / capacity * capacity;
  }
};

/// Buckets for instances of up to `largest_instance` points: a power of two, at least 32.
int buckets_for(std::int64_t largest_instance, int capacity);

/// Workspace of the most demanding variant, in bytes.
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::psh_bucket
