#include "kernels/psh_bucket/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/common/poison.h"
#include "kernels/psh_bucket/probes.h"

namespace ablate::psh_bucket {
namespace {

using violation = std::optional<std::string>;

constexpr std::uint32_t nobody = 0xffffffffu;

/// One instance of the problem: points begin … end − 1, and the counters of its buckets.
struct instance {
  int number;
  std::int64_t begin, end;
  const std::uint32_t* count;
  const std::uint32_t* cumulative;  ///< bucket_end
};

instance instance_at(const problem& p, int k) {
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(k) * p.buckets;
  return {k, k == 0 ? 0 : p.ends[k - 1], p.ends[k], p.bucket_count + first,
          p.bucket_end ? p.bucket_end + first : nullptr};
}

std::string at_bucket(const char* property, const instance& of, std::int64_t bucket) {
  return fmt::format("{}: instance {}, bucket {}: ", property, of.number, bucket);
}

std::string at_point(const char* property, const instance& of, std::int64_t point) {
  return fmt::format("{}: instance {}, point {}: ", property, of.number, point);
}

/// Whether points that wait for a free place may be among the outputs.
bool has_leftovers(const problem& p) {
  return p.mode == mode::strict && p.last == phase::rebalance && p.claims;
}

bool only_inserted(const problem& p) {
  return p.last == phase::insert || (p.last == phase::rebalance && !p.claims);
}

bool is_leftover(std::uint32_t off) { return (off & leftover_bit) != 0; }

/// The places of one kind (in buckets, or in the queues of leftovers), of which each point has one.
class places {
 public:
  explicit places(int buckets) : start_(buckets + 1, 0) {}

  void add(int bucket) { ++start_[bucket + 1]; }
  std::uint32_t held_by(int bucket) const { return start_[bucket + 1]; }
  /// From here on `add` and `held_by` are over, and `take` may begin.
  void all_added() {
    for (std::size_t b = 1; b < start_.size(); ++b) start_[b] += start_[b - 1];
    owner_.assign(start_.back(), nobody);
  }
  /// The point that has the place already, or `nobody`.
  std::uint32_t take(int bucket, std::uint32_t off, std::int64_t point) {
    std::uint32_t& owner = owner_[start_[bucket] + off];
    const std::uint32_t before = owner;
    owner = static_cast<std::uint32_t>(point);
    return before;
  }
  std::uint32_t size_of(int bucket) const { return start_[bucket + 1] - start_[bucket]; }

 private:
  std::vector<std::uint32_t> start_, owner_;
};

/// P1 … P4 but for bucket_end: every point has a place of its own, and the counters say how many do.
violation places_violated(const problem& p, const instance& of) {
  const bool queues = has_leftovers(p);
  places taken(p.buckets), queued(queues ? p.buckets : 0);
  std::int64_t leftovers = 0;
  for (std::int64_t i = of.begin; i < of.end; ++i) {
    const int b = p.bucket_id[i];
    if (b >= p.buckets)
      return at_point("P1", of, i) + fmt::format("bucket_id: expected below {}, found {}", p.buckets, b);
    if (queues && is_leftover(p.bucket_off[i]))
      queued.add(b), ++leftovers;
    else
      taken.add(b);
  }
  std::int64_t sum = 0;
  for (int b = 0; b < p.buckets; ++b) {
    sum += of.count[b];
    if (of.count[b] != taken.held_by(b))
      return at_bucket("P4", of, b) +
             fmt::format("bucket_count: expected {}, the points that have its id, found {}", taken.held_by(b),
                         of.count[b]);
  }
  if (sum + leftovers != of.end - of.begin)
    return fmt::format("P2: instance {}: sum of bucket_count: expected {}, found {}", of.number,
                       of.end - of.begin - leftovers, sum);

  taken.all_added();
  queued.all_added();
  for (std::int64_t i = of.begin; i < of.end; ++i) {
    const int b = p.bucket_id[i];
    const bool waits = queues && is_leftover(p.bucket_off[i]);
    const std::uint32_t off = waits ? p.bucket_off[i] & ~leftover_bit : p.bucket_off[i];
    places& among = waits ? queued : taken;
    const char* what = waits ? "rank among the leftovers" : "bucket_off";
    if (off >= among.size_of(b))
      return at_point("P1", of, i) +
             fmt::format("{} of bucket {}: expected below {}, found {}", what, b, among.size_of(b), off);
    if (const std::uint32_t before = among.take(b, off, i); before != nobody)
      return at_bucket("P3", of, b) +
             fmt::format("{} {}: expected one point, found points {} and {}", what, off, before, i);
  }
  return std::nullopt;
}

/// P6 at the end of `last`.
violation capacity_violated(const problem& p, const instance& of) {
  const auto capacity = static_cast<std::uint32_t>(p.capacity);
  for (int b = 0; b < p.buckets; ++b) {
    const bool is_bin = p.mode != mode::strict && b == 0;
    const bool drained = p.mode != mode::strict && p.last >= phase::drain;
    if (is_bin ? !drained : drained) continue;
    const std::uint32_t most = is_bin ? capacity + 1 : capacity;
    if (of.count[b] > most)
      return at_bucket("P6", of, b) + fmt::format("expected at most {} points, found {}", most, of.count[b]);
  }
  return std::nullopt;
}

/// P8 where hashing alone decides: all points after `insert`, those without a place after `rebalance`.
violation home_violated(const problem& p, const instance& of, std::span<const std::uint16_t> homes) {
  for (std::int64_t i = of.begin; i < of.end; ++i)
    if (p.bucket_id[i] != homes[i] && (only_inserted(p) || is_leftover(p.bucket_off[i])))
      return at_point("P8", of, i) +
             fmt::format("bucket_id: expected {}, its hash, found {}", homes[i], p.bucket_id[i]);
  return std::nullopt;
}

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

bool is_bin(const problem& p, int bucket) { return p.mode != mode::strict && bucket == 0; }

/// How the search of a point that its home refused can have ended.
struct search_end {
  bool can_hold = false;  ///< a probe leads to the point's bucket, past full ones only
  bool can_fail = false;  ///< each segment's first probe leads to a full bucket
  int passed_by = -1;     ///< else: a bucket with room to which a probe leads that comes first
};

/// Follows the probes of point i, whose home is full, to `bucket` (or −1). What is full at the end may have
/// been full at any time, so behind the first full bucket of a segment the point may have given up for that
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

/// Leftovers of strict mode for which no probe accounts, where they stand after the fill: by home bucket the
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

  /// Leftovers by home take the free places by bucket: those of a home come behind those of homes before, and
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
                   "hashed to bucket {}, where no probe leads to its bucket: expected behind bucket "
                   "{}, place {}, where point {} of an earlier home stands, found in bucket {}, "
                   "place {}",
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

/// Whether a point that no probe placed may stand where it does.
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

/// P10, by as many bits as the variant says.
violation chunks_violated(const problem& p, const instance& of, const bounding_box& box) {
  if (!are_chunks(p, of))
    return fmt::format("P10: instance {}: expected buckets that are full one after the other", of.number);
  return order_of_chunks_violated(p, of, box, *p.key_bits);
}

violation key_bits_violated(const problem& p) {
  const bool may_sort = p.mode == mode::strict && p.last >= phase::drain;
  const int bits = *p.key_bits;
  if (bits == 0 || (may_sort && bits >= least_key_bits && bits <= 16)) return std::nullopt;
  return fmt::format("P10: leading bits of the key that order the points: expected {}, found {}",
                     may_sort ? fmt::format("0 or {} to 16", least_key_bits) : "0", bits);
}

/// P4 of bucket_end.
violation prefix_sum_violated(const problem& p, const instance& of) {
  std::uint32_t sum = 0;
  for (int b = 0; b < p.buckets; ++b)
    if (sum += of.count[b]; of.cumulative[b] != sum)
      return at_bucket("P4", of, b) + fmt::format("bucket_end: expected {}, found {}", sum, of.cumulative[b]);
  return std::nullopt;
}

std::string halves(const std::uint16_t* of) {
  return fmt::format("({:#06x}, {:#06x}, {:#06x})", of[0], of[1], of[2]);
}

/// The row in which point i of the instance must stand.
std::int64_t row_of(const problem& p, const instance& of, std::int64_t i) {
  const int b = p.bucket_id[i];
  if (p.layout == layout::strided)
    return (static_cast<std::int64_t>(of.number) * p.buckets + b) * p.capacity + p.bucket_off[i];
  return of.begin + (of.cumulative[b] - of.count[b]) + p.bucket_off[i];
}

std::string at_row(std::int64_t row, const std::string& holds) {
  return fmt::format("P5: row {} ({}): ", row, holds);
}

/// What a row holds beside its source: a point's coordinates and features.
violation row_of_point_violated(const problem& p, std::int64_t row, std::int64_t point) {
  const auto at = [&] { return at_row(row, fmt::format("point {}", point)); };
  const std::uint16_t *expected = p.coordinates + 3 * point, *found = p.scattered + 3 * row;
  if (std::memcmp(expected, found, 6) != 0)
    return at() + fmt::format("scattered: expected {}, found {}", halves(expected), halves(found));
  for (int c = 0; c < p.channels; ++c) {
    const std::uint16_t value = p.features[point * p.channels + c];
    const std::uint16_t moved = p.scattered_features[row * p.channels + c];
    if (moved != value)
      return at() +
             fmt::format("scattered_features, channel {}: expected {:#06x}, found {:#06x}", c, value, moved);
  }
  return std::nullopt;
}

violation padding_violated(const problem& p, std::int64_t row) {
  static constexpr std::uint16_t padding[3] = {padding_half, padding_half, padding_half};
  const std::uint16_t* found = p.scattered + 3 * row;
  if (std::memcmp(padding, found, 6) != 0)
    return at_row(row, "padding") +
           fmt::format("scattered: expected {}, found {}", halves(padding), halves(found));
  for (int c = 0; c < p.channels; ++c)
    if (const std::uint16_t moved = p.scattered_features[row * p.channels + c]; moved != 0)
      return at_row(row, "padding") +
             fmt::format("scattered_features, channel {}: expected 0, found {:#06x}", c, moved);
  if (p.source[row] == poison_word)
    return at_row(row, "padding") + fmt::format("source: expected {} or more, found it unwritten", p.points);
  return std::nullopt;
}

/// P5: every point stands in its row, which knows it; all other rows are padding.
violation rows_violated(const problem& p) {
  std::int64_t padding_rows = 0;
  for (std::int64_t row = 0; row < p.rows(); ++row) {
    if (p.source[row] < p.points) continue;
    ++padding_rows;
    if (const violation v = padding_violated(p, row)) return v;
  }
  for (int k = 0; k < p.instances; ++k) {
    const instance of = instance_at(p, k);
    for (std::int64_t i = of.begin; i < of.end; ++i) {
      const std::int64_t row = row_of(p, of, i);
      if (p.source[row] != i)
        return fmt::format("P5: row {}: source: expected point {} of instance {}, found {}", row, i, k,
                           p.source[row]);
      if (const violation v = row_of_point_violated(p, row, i)) return v;
    }
  }
  if (padding_rows != p.rows() - p.points)
    return fmt::format("P5: expected {} rows of padding, found {}", p.rows() - p.points, padding_rows);
  return std::nullopt;
}

violation counters_not_zero(const problem& p, const instance& of) {
  for (int b = 0; b < p.buckets; ++b)
    if (of.count[b] != 0)
      return at_bucket("P2", of, b) + fmt::format("bucket_count: expected 0, found {}", of.count[b]);
  return std::nullopt;
}

/// P8 and P9: buckets of points that were hashed to them, or that no bucket before had room for.
violation hashing_violated(const problem& p, const instance& of, const bounding_box& box,
                           const probed_buckets& probes, std::span<const std::uint16_t> homes) {
  if (violation v = displaced(p, of, homes)) return v;
  return way_violated(p, of, box, probes, homes);
}

/// What is known before any output.
struct known_points {
  bounding_box box;
  probed_buckets probes;
  std::span<const std::uint16_t> homes;
};

violation instance_violated(const problem& p, const instance& of, const known_points& known) {
  if (p.last == phase::prepare) return counters_not_zero(p, of);
  if (violation v = places_violated(p, of)) return v;
  if (only_inserted(p)) return home_violated(p, of, known.homes);
  if (violation v = capacity_violated(p, of)) return v;
  if (has_leftovers(p))
    if (violation v = home_violated(p, of, known.homes)) return v;
  if (violation v = *p.key_bits == 0 ? hashing_violated(p, of, known.box, known.probes, known.homes)
                                     : chunks_violated(p, of, known.box))
    return v;
  if (p.ends_buckets()) return prefix_sum_violated(p, of);
  return std::nullopt;
}

}  // namespace

std::vector<std::uint16_t> home_buckets(const problem& p) {
  const bounding_box box = bounding_box_of(p);
  std::vector<std::uint16_t> homes(p.points);
  for (std::int64_t i = 0; i < p.points; ++i)
    homes[i] = bucket_of(p.hash, key_of(p.hash, voxel_of(p, box, p.coordinates + 3 * i)), p.buckets);
  return homes;
}

violation violated(const problem& p, std::span<const std::uint16_t> homes) {
  if (violation v = key_bits_violated(p)) return v;
  const known_points known{bounding_box_of(p), probed_buckets(p), homes};
  for (int k = 0; k < p.instances; ++k)
    if (violation v = instance_violated(p, instance_at(p, k), known)) return v;
  return p.last == phase::scatter ? rows_violated(p) : std::nullopt;
}

violation displaced_without_need(const problem& p, std::span<const std::uint16_t> homes) {
  const bounding_box box = bounding_box_of(p);
  const probed_buckets probes(p);
  for (int k = 0; k < p.instances; ++k)
    if (violation v = hashing_violated(p, instance_at(p, k), box, probes, homes)) return v;
  return std::nullopt;
}

}  // namespace ablate::psh_bucket
