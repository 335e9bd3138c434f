#include "harness/inputs/voxels/order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "harness/inputs/random.h"
#include "harness/inputs/voxels/cloud.h"

namespace ablate {
namespace {

std::vector<std::uint64_t> morton_codes(const std::vector<voxel>& voxels) {
  std::vector<std::uint64_t> codes(voxels.size());
  std::transform(voxels.begin(), voxels.end(), codes.begin(), morton_code);
  return codes;
}

}  // namespace

void radix_sort(std::vector<std::uint64_t>& keys) {
  constexpr int digit_bits = 11, digits = 6;
  constexpr std::size_t values = 1 << digit_bits;
  const auto digit_of = [](std::uint64_t key, int digit) {
    return key >> (digit * digit_bits) & (values - 1);
  };

  std::array<std::array<std::size_t, values>, digits> counts{};
  for (const std::uint64_t key : keys)
    for (int digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(key, digit)];

  std::vector<std::uint64_t> sorted(keys.size());
  for (int digit = 0; digit < digits; ++digit) {
    if (keys.empty() || counts[digit][digit_of(keys[0], digit)] == keys.size()) continue;
    std::size_t next = 0;
    for (std::size_t& place : counts[digit]) next += std::exchange(place, next);
    for (const std::uint64_t key : keys) sorted[counts[digit][digit_of(key, digit)]++] = key;
    keys.swap(sorted);
  }
}

void sort_by_morton_code(std::vector<voxel>& voxels) {
  std::vector<std::uint64_t> codes = morton_codes(voxels);  // a code determines its voxel
  radix_sort(codes);
  std::transform(codes.begin(), codes.end(), voxels.begin(), voxel_of_morton_code);
}

void shuffle_rows(std::vector<voxel>& voxels, std::uint64_t seed) {
  // Assigns each row a random bucket, then shuffles within each bucket, which fits in cache: several times
  // faster than one shuffle of all rows, and no less random.
  constexpr std::size_t buckets = 256;
  random_stream random(seed, "voxel shuffle");
  std::vector<std::uint8_t> bucket_of(voxels.size());
  std::array<std::size_t, buckets + 1> starts{};
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    bucket_of[i] = static_cast<std::uint8_t>(random.next() >> 56);
    ++starts[bucket_of[i] + std::size_t{1}];
  }
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) starts[bucket + 1] += starts[bucket];

  std::vector<voxel> shuffled(voxels.size());
  auto next = starts;
  for (std::size_t i = 0; i < voxels.size(); ++i) shuffled[next[bucket_of[i]]++] = voxels[i];
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    voxel* const rows = shuffled.data() + starts[bucket];
    for (auto left = static_cast<std::uint32_t>(starts[bucket + 1] - starts[bucket]); left > 1; --left)
      std::swap(rows[left - 1], rows[random.below(left)]);
  }
  voxels = std::move(shuffled);
}

std::vector<voxel> repeat_rows(const std::vector<voxel>& voxels, std::int64_t multiplicity,
                               std::int64_t rows) {
  std::vector<voxel> repeated(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < repeated.size(); ++i)
    repeated[i] = voxels[i / static_cast<std::size_t>(multiplicity)];
  return repeated;
}

std::int64_t count_coarse_cells(const std::vector<std::int32_t>& coords, int stride_bits) {
  std::vector<std::uint64_t> cells(coords.size() / 4);
  for (std::size_t i = 0; i < cells.size(); ++i)
    // The coordinate range begins at a multiple of every stride, so dropping bits of the code divides.
    cells[i] = morton_code({coords[4 * i], coords[4 * i + 1], coords[4 * i + 2], coords[4 * i + 3]}) >>
               (3 * stride_bits);
  radix_sort(cells);
  return std::unique(cells.begin(), cells.end()) - cells.begin();
}

}  // namespace ablate
