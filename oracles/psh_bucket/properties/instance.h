#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// What is wrong: the property, the place, what was expected and what was found.
using violation = std::optional<std::string>;

/// One instance of the problem: points begin … end − 1, and the counters of its buckets.
struct instance {
  int number;
  std::int64_t begin, end;
  const std::uint32_t* count;
  const std::uint32_t* cumulative;  ///< bucket_end
};

inline instance instance_at(const problem& p, int k) {
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(k) * p.buckets;
  return {k, k == 0 ? 0 : p.ends[k - 1], p.ends[k], p.bucket_count + first,
          p.bucket_end ? p.bucket_end + first : nullptr};
}

inline std::string at_bucket(const char* property, const instance& of, std::int64_t bucket) {
  return fmt::format("{}: instance {}, bucket {}: ", property, of.number, bucket);
}

inline std::string at_point(const char* property, const instance& of, std::int64_t point) {
  return fmt::format("{}: instance {}, point {}: ", property, of.number, point);
}

/// Whether points that wait for a free place may be among the outputs.
inline bool has_leftovers(const problem& p) {
  return p.mode == mode::strict && p.last == phase::rebalance && p.claims;
}

inline bool only_inserted(const problem& p) {
  return p.last == phase::insert || (p.last == phase::rebalance && !p.claims);
}

inline bool is_leftover(std::uint32_t off) { return (off & leftover_bit) != 0; }

inline bool is_bin(const problem& p, int bucket) { return p.mode != mode::strict && bucket == 0; }

}  // namespace ablate::psh_bucket
