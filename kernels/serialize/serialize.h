#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::serialize {

/// Orders points along space-filling curves and pads that order to patches of equal size (PTv3, §4.1;
/// docs/operations/serialize.md). A point's key on a curve is its instance, then the code of its grid cell:
/// instance · 2^(3 · depth) | code. Points with equal keys keep their input order.

/// In the order of the outputs. Transposed: x and y exchanged.
enum class curve { z, z_transposed, hilbert, hilbert_transposed };
constexpr int curve_count = 4;

/// The phases of the work, in order. A problem runs those up to `last`.
enum class phase {
  keys,    ///< one per curve
  sort,    ///< the order of the keys
  patches  ///< its inverse, and the padding if there are patches
};

constexpr int max_depth = 16, max_instances = 4096;
constexpr std::int64_t max_points = std::int64_t{1} << 24;

/// Slots of an instance with this many points: as many if they fit one patch, else whole patches.
constexpr std::int64_t slots_of(std::int64_t points, std::int64_t patch) {
  return points <= patch ? points : (points + patch - 1) / patch * patch;
}

/// Sequences of such an instance: one if its points fit one patch, else its patches; none without points.
constexpr std::int64_t sequences_of(std::int64_t points, std::int64_t patch) {
  return (points + patch - 1) / patch;
}

struct problem {
  int instances = 1;             ///< 1 … max_instances
  std::int64_t points = 0;       ///< of all instances together, at most max_points
  int depth = 0;                 ///< bits of a grid coordinate, 0 … max_depth
  curve first_curve = curve::z;  ///< the first of `curves` consecutive ones
  int curves = 1;
  std::int64_t patch = 0;      ///< slots per patch; 0 = no padding
  std::int64_t slots = 0;      ///< over all instances: sum of slots_of; 0 without patches
  std::int64_t sequences = 0;  ///< as above, of sequences_of
  int index_bytes = 8;         ///< per output index: 4 (int32) or 8 (int64)
  phase last = phase::patches;

  const std::int32_t* grid = nullptr;   ///< [points][3]: x, y, z, each at least 0, below 2^depth
  const std::uint32_t* ends = nullptr;  ///< [instances]: end of each instance, cumulative

  std::uint64_t* keys = nullptr;       ///< [curves][points], by point; below 2^63
  void* order = nullptr;               ///< index [curves][points]: the points by ascending key
  void* inverse = nullptr;             ///< index [curves][points]: inverse[order[i]] = i
  void* pad = nullptr;                 ///< index [slots]: the place in the order whose point each slot holds
  void* unpad = nullptr;               ///< index [points]: the slot of each place
  std::int32_t* cu_seqlens = nullptr;  ///< [sequences + 1]: first slot of each sequence, then `slots`
  void* scratch = nullptr;             ///< scratch_bytes(problem)

  bool does(phase p) const { return p <= last; }
  bool pads() const { return does(phase::patches) && patch > 0; }
  /// Key bits in use: the higher ones are 0 in every key.
  int key_bits() const;
};

/// Working memory for the variant that needs the most, bytes.
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::serialize
