#include "kernels/psh_bucket/properties.h"

#include <fmt/format.h>

#include <cstring>

namespace ablate::psh_bucket {
namespace {

using violation = std::optional<std::string>;

constexpr std::uint32_t nobody = 0xffffffffu;
constexpr std::uint32_t unwritten = 0xa5a5a5a5u;  // what the harness poisons outputs with

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
  if (p.source[row] == unwritten)
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

violation instance_violated(const problem& p, const instance& of, std::span<const std::uint16_t> homes) {
  if (p.last == phase::prepare) return counters_not_zero(p, of);
  if (violation v = places_violated(p, of)) return v;
  if (only_inserted(p)) return home_violated(p, of, homes);
  if (violation v = capacity_violated(p, of)) return v;
  if (has_leftovers(p))
    if (violation v = home_violated(p, of, homes)) return v;
  if (p.mode != mode::strict)
    if (violation v = displaced(p, of, homes)) return v;
  if (p.last == phase::scatter) return prefix_sum_violated(p, of);
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
  for (int k = 0; k < p.instances; ++k)
    if (violation v = instance_violated(p, instance_at(p, k), homes)) return v;
  return p.last == phase::scatter ? rows_violated(p) : std::nullopt;
}

violation displaced_without_need(const problem& p, std::span<const std::uint16_t> homes) {
  for (int k = 0; k < p.instances; ++k)
    if (violation v = displaced(p, instance_at(p, k), homes)) return v;
  return std::nullopt;
}

}  // namespace ablate::psh_bucket
