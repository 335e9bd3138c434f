#include "oracles/psh_bucket/properties/chunks.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace ablate::psh_bucket {
namespace {

/// The key's leading bits, in the order that sorts by bucket first: for a hash that takes the remainder, the
/// remainder above the quotient.
std::uint16_t leading_bits(const problem& p, std::uint16_t key, int bits) {
  const bool divides = p.hash == hash::z_div || p.hash == hash::xor_div || p.hash == hash::z_top_div;
  const int bucket_bits = std::countr_zero(static_cast<unsigned>(p.buckets));
  const int ordered = divides ? key : key % p.buckets << (16 - bucket_bits) | key / p.buckets;
  return static_cast<std::uint16_t>(ordered >> (16 - bits));
}

bool are_chunks(const problem& p, const instance& of) {
  for (std::int64_t b = 0; b < p.buckets; ++b) {
    const std::int64_t points = of.end - of.begin - b * p.capacity;
    if (of.count[b] != std::clamp<std::int64_t>(points, 0, p.capacity)) return false;
  }
  return true;
}

/// P10 of an instance whose buckets are chunks, and each place of theirs has one point.
violation order_of_chunks_violated(const problem& p, const instance& of, const bounding_box& box, int bits) {
  std::vector<std::uint32_t> point_at(static_cast<std::size_t>(of.end - of.begin));
  for (std::int64_t i = of.begin; i < of.end; ++i)
    point_at[static_cast<std::size_t>(p.bucket_id[i]) * p.capacity + p.bucket_off[i]] =
        static_cast<std::uint32_t>(i);
  std::uint16_t before = 0;
  for (std::size_t rank = 0; rank < point_at.size(); ++rank) {
    const std::uint32_t i = point_at[rank];
    const std::uint16_t found =
        leading_bits(p, key_of(p.hash, voxel_of(p, box, p.coordinates + 3 * std::int64_t{i})), bits);
    if (found < before)
      return at_point("P10", of, i) +
             fmt::format(
                 "{} leading bits of its key: expected {:#x} or more, those of point {} before it in "
                 "place {} of bucket {}, found {:#x}",
                 bits, before, point_at[rank - 1], p.bucket_off[i], p.bucket_id[i], found);
    before = found;
  }
  return std::nullopt;
}

}  // namespace

violation chunks_violated(const checked_problem& p, const instance& of, const bounding_box& box) {
  if (!are_chunks(p, of))
    return fmt::format("P10: instance {}: expected buckets that are full one after the other", of.number);
  return order_of_chunks_violated(p, of, box, *p.key_bits);
}

}  // namespace ablate::psh_bucket
