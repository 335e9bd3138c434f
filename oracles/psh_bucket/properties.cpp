#include "oracles/psh_bucket/properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/probes.h"
#include "oracles/psh_bucket/properties/chunks.h"
#include "oracles/psh_bucket/properties/hashing.h"
#include "oracles/psh_bucket/properties/instance.h"
#include "oracles/psh_bucket/properties/rows.h"

namespace ablate::psh_bucket {
namespace {

constexpr std::uint32_t nobody = 0xffffffffu;

/// The places of one kind (in buckets, or in the queues of leftovers); each point has one.
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

/// P1 … P4 except for bucket_end: every point has a place of its own, and the counters say how many do.
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

violation key_bits_violated(const checked_problem& p) {
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

violation counters_not_zero(const problem& p, const instance& of) {
  for (int b = 0; b < p.buckets; ++b)
    if (of.count[b] != 0)
      return at_bucket("P2", of, b) + fmt::format("bucket_count: expected 0, found {}", of.count[b]);
  return std::nullopt;
}

/// What is known before any output.
struct known_points {
  bounding_box box;
  probed_buckets probes;
  std::span<const std::uint16_t> homes;
};

violation instance_violated(const checked_problem& p, const instance& of, const known_points& known) {
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

violation violated(const checked_problem& p, std::span<const std::uint16_t> homes) {
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
