#include "oracles/psh_bucket/probes.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/psh_bucket/random_mix.h"
#include "oracles/psh_bucket/keys.h"

namespace ablate::psh_bucket {
namespace {

std::uint32_t mixed32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

/// `random16` gives the shift, in [−step/2, step/2).
std::uint16_t moved(int level, int direction, int step, std::uint32_t random16) {
  const int shift = static_cast<int>((random16 * static_cast<std::uint32_t>(step)) >> 16) - step / 2;
  return static_cast<std::uint16_t>(std::abs(level + direction * step + shift) % quantization_levels);
}

/// A number below `bound` for the point, of a stream apart from the probes.
std::uint32_t random_below(std::uint32_t seed, std::int64_t point, std::uint32_t salt, std::uint32_t bound) {
  const std::uint64_t random = mixed32(mixed32(static_cast<std::uint32_t>(point) + seed) + salt);
  return static_cast<std::uint32_t>(random * bound >> 32);
}

}  // namespace

std::vector<std::int16_t> shuffled_probe_steps(std::uint64_t seed) {
  std::vector<std::array<std::int16_t, 3>> steps = {{3, 3, 3}, {3, -3, 3}, {-3, 3, -3}, {-3, -3, -3}};
  for (std::int16_t x = -2; x <= 2; ++x)
    for (std::int16_t y = -2; y <= 2; ++y)
      for (std::int16_t z = -2; z <= 2; ++z)
        if (x != 0 || y != 0 || z != 0) steps.push_back({x, y, z});
  std::uint64_t state = seed;
  for (std::size_t left = steps.size(); left > 1; --left) {
    state = mixed(state);
    std::swap(steps[left - 1], steps[state % left]);
  }
  std::vector<std::int16_t> flat;
  for (const auto& step : steps) flat.insert(flat.end(), step.begin(), step.end());
  return flat;
}

probed_buckets::probed_buckets(const problem& p)
    : p_(p),
      least_step_(2.56f * quantization_levels / static_cast<float>(65536 / p.buckets)),
      is_xor_(p.hash == hash::xor_div || p.hash == hash::xor_mod) {
  if (!is_xor_)
    for (std::uint16_t level = 0; level < 64; ++level)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        voxel alone{};
        alone[axis] = static_cast<std::uint16_t>(level << key_shift);
        morton_key_[axis][level] = psh_bucket::key_of(p.hash, alone);
      }
  bucket_of_key_.reserve(65536);
  for (int key = 0; key < 65536; ++key)
    bucket_of_key_.push_back(bucket_of(p.hash, static_cast<std::uint16_t>(key), p.buckets));
}

std::uint16_t probed_buckets::key_of(const voxel& v) const {
  if (is_xor_) return v[0] ^ v[1] ^ v[2];
  return morton_key_[0][v[0] >> key_shift] | morton_key_[1][v[1] >> key_shift] |
         morton_key_[2][v[2] >> key_shift];
}

std::uint16_t probed_buckets::at(std::int64_t point, const voxel& from, int probe) const {
  const std::uint32_t first = mixed32(static_cast<std::uint32_t>(point) * 0x9e3779b1u +
                                      static_cast<std::uint32_t>(probe) * 0x85ebca77u + p_.seed);
  const std::uint32_t second = mixed32(first + 0x6d2b79f5u);
  const float stretch = 1.0f + static_cast<float>(first >> 16) * 0x1p-16f;
  const int step = static_cast<int>(std::lrint(least_step_ * stretch));
  const std::int16_t* direction = p_.probe_steps + 3 * probe;
  return bucket_of_key_[key_of({moved(from[0], direction[0], step, first & 0xffff),
                                moved(from[1], direction[1], step, second & 0xffff),
                                moved(from[2], direction[2], step, second >> 16)})];
}

std::uint16_t probed_buckets::drained(std::int64_t point, const voxel& from) const {
  constexpr std::uint32_t which_probe = 1, which_bucket = 2;
  if (p_.probes > 0) {
    const auto probes = static_cast<std::uint32_t>(p_.probes);
    const std::uint16_t bucket =
        at(point, from, static_cast<int>(random_below(p_.seed, point, which_probe, probes)));
    if (bucket != 0) return bucket;
  }
  const auto others = static_cast<std::uint32_t>(p_.buckets - 1);
  return static_cast<std::uint16_t>(1 + random_below(p_.seed, point, which_bucket, others));
}

}  // namespace ablate::psh_bucket
