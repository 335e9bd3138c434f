#include "harness/inputs/points/order.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/inputs/random.h"

namespace ablate {
namespace {

constexpr int bits_per_axis = 21;

/// Moves bit i to bit 3i.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

std::uint64_t morton_code_in(const float* point, const box& domain) {
  constexpr double cells = 1 << bits_per_axis;
  std::uint64_t code = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(point[axis])) return std::uint64_t{1} << (3 * bits_per_axis);
    const double inside = (static_cast<double>(point[axis]) - domain.origin[axis]) / domain.size[axis];
    const double cell = inside > 0 ? std::min(inside * cells, cells - 1) : 0;
    code |= spread_bits(static_cast<std::uint64_t>(cell)) << axis;
  }
  return code;
}

}  // namespace

void shuffle_points(std::vector<float>& xyz, std::uint64_t seed) {
  random_stream random(seed, "shuffle");
  for (auto left = static_cast<std::uint32_t>(xyz.size() / 3); left > 1; --left) {
    const std::size_t last = std::size_t{left - 1} * 3;
    const std::size_t other = std::size_t{random.below(left)} * 3;
    std::swap_ranges(xyz.begin() + last, xyz.begin() + last + 3, xyz.begin() + other);
  }
}

void sort_points_by_morton_code(std::vector<float>& xyz, const box& domain) {
  struct place {
    std::uint64_t code;
    std::uint32_t point;
  };
  std::vector<place> places(xyz.size() / 3);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = {morton_code_in(&xyz[3 * i], domain), static_cast<std::uint32_t>(i)};
  std::sort(places.begin(), places.end(), [](const place& a, const place& b) {
    return a.code != b.code ? a.code < b.code : a.point < b.point;
  });
  std::vector<float> sorted(xyz.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(xyz.begin() + std::size_t{places[i].point} * 3, 3, sorted.begin() + 3 * i);
  xyz = std::move(sorted);
}

}  // namespace ablate
