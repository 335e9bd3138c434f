#include "oracles/psh_bucket/properties/hashing.h"

#include <algorithm>

namespace ablate::psh_bucket {
namespace {

violation displaced(const problem& p, const instance& of, std::span<const std::uint16_t> homes) {
  const bool queues = has_leftovers(p);
  for (std::int64_t i = of.begin; i < of.end; ++i) {
    const bool at_home = p.bucket_id[i] == homes[i] && !(queues && is_leftover(p.bucket_off[i]));
    if (!at_home && of.count[homes[i]] < static_cast<std::uint32_t>(p.capacity))
      return at_point("P8", of, i) +
             fmt::format("expected in bucket {}, its hash, which has room ({} of {}), found {}", homes[i],
                         of.count[homes[i]], p.capacity,
                         p.bucket_id[i] == homes[i] ? "without a place"
                                                    : fmt::format("in bucket {}", p.bucket_id[i]));
  }
  return std::nullopt;
}

/// How the search of a point that its home refused can have ended.
struct search_end {
  bool can_hold = false;  ///< a probe leads to the point's bucket, past full ones only
  bool can_fail = false;  ///< each segment's first probe leads to a full bucket
  int passed_by = -1;     ///< else: a bucket with room to which a probe leads that comes first
};

/// Follows the probes of point i, whose home is full, to `bucket` (or −1). What is full at the end may have
/// been full at any time, so after the first full bucket of a segment the point may have given up for that
/// segment: others may have taken the place that it claimed. What has room at the end always had.
search_end follow_probes(const problem& p, const instance& of, const probed_buckets& probes, std::int64_t i,
                         const probed_buckets::voxel& from, int home, int bucket) {
  for (int segment = 0; segment < p.segments; ++segment) {
    bool was_refused = false;
    const int end = p.probes * (segment + 1) / p.segments;
    for (int probe = p.probes * segment / p.segments; probe < end; ++probe) {
      const int b = probes.at(i, from, probe);
      if (b == home || is_bin(p, b)) continue;
      if (b == bucket) return {.can_hold = true};
      const bool has_room = of.count[b] < static_cast<std::uint32_t>(p.capacity);
      if (has_room && !was_refused) return {.passed_by = b};
      if (has_room) break;
      was_refused = true;
    }
  }
  return {.can_fail = true};
}

/// Leftovers of strict mode for which no probe accounts, where they are after the fill: by home bucket the
/// first place and the last.
class filled_places {
 public:
  explicit filled_places(const problem& p)
      : p_(p), first_(static_cast<std::size_t>(p.buckets)), last_(first_.size()) {}

  void add(std::int64_t point, int home) {
    const filled at{place_of(point), point};
    filled &first = first_[static_cast<std::size_t>(home)], &last = last_[static_cast<std::size_t>(home)];
    if (first.point < 0 || at.place < first.place) first = at;
    if (last.point < 0 || at.place > last.place) last = at;
  }

  /// Leftovers by home take the free places by bucket: those of a home come after those of homes before, and
  /// no bucket before them has room.
  violation violated(const instance& of) const {
    const auto capacity = static_cast<std::uint32_t>(p_.capacity);
    const auto with_room = static_cast<int>(
        std::find_if(of.count, of.count + p_.buckets, [&](std::uint32_t c) { return c < capacity; }) -
        of.count);
    const filled* before = nullptr;
    for (std::size_t home = 0; home < first_.size(); ++home) {
      const filled &first = first_[home], &last = last_[home];
      if (first.point < 0) continue;
      if (p_.bucket_id[last.point] > with_room)
        return at_point("P9", of, last.point) +
               fmt::format(
                   "hashed to bucket {}, where no probe leads to its bucket: expected in bucket {} or "
                   "before, the first with room, found in bucket {}",
                   home, with_room, p_.bucket_id[last.point]);
      if (before && before->place > first.place)
        return at_point("P9", of, first.point) +
               fmt::format(
                   "hashed to bucket {}, where no probe leads to its bucket: expected behind bucket {}, "
                   "place {}, where point {} of an earlier home stands, found in bucket {}, place {}",
                   home, p_.bucket_id[before->point], p_.bucket_off[before->point], before->point,
                   p_.bucket_id[first.point], p_.bucket_off[first.point]);
      before = &last;
    }
    return std::nullopt;
  }

 private:
  struct filled {
    std::uint32_t place = 0;
    std::int64_t point = -1;
  };
  std::uint32_t place_of(std::int64_t point) const {
    return p_.bucket_id[point] * static_cast<std::uint32_t>(p_.capacity) + p_.bucket_off[point];
  }

  const problem& p_;
  std::vector<filled> first_, last_;  ///< [buckets]
};

/// Whether a point that no probe placed may be where it is.
bool is_place_of_last_resort(const problem& p, const probed_buckets& probes, std::int64_t i,
                             const probed_buckets::voxel& from) {
  if (p.mode == mode::strict) return is_leftover(p.bucket_off[i]) || p.last >= phase::drain;
  return p.bucket_id[i] == 0 || (p.last >= phase::drain && p.bucket_id[i] == probes.drained(i, from));
}

/// P9: who is not at home went the way of its probes, or where all go that none of them placed.
violation way_violated(const problem& p, const instance& of, const bounding_box& box,
                       const probed_buckets& probes, std::span<const std::uint16_t> homes) {
  filled_places filled(p);
  const bool is_filled = p.mode == mode::strict && p.last >= phase::drain;
  for (std::int64_t i = of.begin; i < of.end; ++i) {
    const int home = homes[i], bucket = p.bucket_id[i];
    const bool waits = has_leftovers(p) && is_leftover(p.bucket_off[i]);
    if (bucket == home && !waits) continue;
    const probed_buckets::voxel from = voxel_of(p, box, p.coordinates + 3 * i);
    const search_end end = is_bin(p, home) ? search_end{.can_fail = true}
                                           : follow_probes(p, of, probes, i, from, home, waits ? -1 : bucket);
    if (end.can_hold) continue;
    const char* place = waits ? "without a place, of bucket" : "in bucket";
    if (!end.can_fail)
      return at_point("P9", of, i) +
             fmt::format(
                 "expected in bucket {}, which has room and to which its probes lead first, found {} {}",
                 end.passed_by, place, bucket);
    if (!is_place_of_last_resort(p, probes, i, from))
      return at_point("P9", of, i) +
             fmt::format("expected in bucket {}, its hash, or where its probes lead, found {} {}", home,
                         place, bucket);
    if (is_filled) filled.add(i, home);
  }
  return is_filled ? filled.violated(of) : std::nullopt;
}

}  // namespace

violation home_violated(const problem& p, const instance& of, std::span<const std::uint16_t> homes) {
  for (std::int64_t i = of.begin; i < of.end; ++i)
    if (p.bucket_id[i] != homes[i] && (only_inserted(p) || is_leftover(p.bucket_off[i])))
      return at_point("P8", of, i) +
             fmt::format("bucket_id: expected {}, its hash, found {}", homes[i], p.bucket_id[i]);
  return std::nullopt;
}

violation hashing_violated(const problem& p, const instance& of, const bounding_box& box,
                           const probed_buckets& probes, std::span<const std::uint16_t> homes) {
  if (violation v = displaced(p, of, homes)) return v;
  return way_violated(p, of, box, probes, homes);
}

}  // namespace ablate::psh_bucket
