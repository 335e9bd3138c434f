#include "variants/psh_bucket/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "variants/cloud_axes.h"
#include "variants/cloud_batch.h"

namespace ablate::psh_bucket {
namespace {

constexpr std::int64_t max_points_together = std::int64_t{1} << 31;  // exclusive

std::ptrdiff_t place_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

hash hash_of(const std::string& word) { return static_cast<hash>(place_of(word, hash_words)); }

mode mode_of(const std::string& word) {
  if (word == "published") return mode::published;
  return word == "described" ? mode::described : mode::strict;
}

int segments_of(const axis_values& at) {
  if (const long given = at.integer("segments"); given != 0) return static_cast<int>(given);
  return at.word("mode") == "described" ? 8 : 1;
}

/// The phases that a region times, and whether its rebalancing claims the places that it finds.
struct region {
  phase first, last;
  bool claims = true;
};

region region_of(const std::string& word) {
  if (word == "kernels") return {phase::insert, phase::scatter};
  if (word == "insert") return {phase::insert, phase::insert};
  if (word == "search") return {phase::rebalance, phase::rebalance, false};
  if (word == "rebalance") return {phase::rebalance, phase::rebalance};
  if (word == "insert_rebalance") return {phase::insert, phase::rebalance};
  if (word == "drain") return {phase::drain, phase::drain};
  if (word == "scatter") return {phase::scatter, phase::scatter};
  return {phase::prepare, phase::scatter};
}

/// Total points of all instances, and points of the largest.
struct batch_size {
  std::int64_t points = 0, largest_instance = 0;
};

batch_size size_of_batch(std::int64_t points, const axis_values& at) {
  batch_size size;
  for (const std::int64_t of_instance : instance_sizes(points, at)) {
    size.points += of_instance;
    size.largest_instance = std::max(size.largest_instance, of_instance);
  }
  return size;
}

int buckets_at(const axis_values& at, const batch_size& size) {
  if (const long given = at.integer("buckets"); given != 0) return static_cast<int>(given);
  return buckets_for(size.largest_instance, static_cast<int>(at.integer("capacity")));
}

/// Why clouds with this many points do not form a case.
std::optional<std::string> refuses_size(std::int64_t points, const axis_values& at) {
  const batch_size size = size_of_batch(points, at);
  if (size.points >= max_points_together)
    return fmt::format("{} points together: at most {}", size.points, max_points_together - 1);
  const int buckets = buckets_at(at, size);
  const std::int64_t capacity = at.integer("capacity");
  if (buckets > max_buckets)
    return fmt::format("{} points in buckets of {} need {} buckets: at most {}", size.largest_instance,
                       capacity, buckets, max_buckets);
  if (at.word("mode") == "strict" && buckets * capacity < size.largest_instance)
    return fmt::format("mode=strict needs at least {} buckets of {} for {} points",
                       buckets_for(size.largest_instance, static_cast<int>(capacity)), capacity,
                       size.largest_instance);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refuses(const axis_values& at) {
  const long points = at.integer("points"), buckets = at.integer("buckets");
  if (auto reason = refuses_all_points(at)) return reason;
  if (at.integer("capacity") % 16 != 0) return "capacity must be a multiple of 16";
  if (at.integer("channels") % 8 != 0) return "channels must be a multiple of 8";
  if (buckets != 0 && (buckets < least_buckets || !std::has_single_bit(static_cast<unsigned long>(buckets))))
    return fmt::format("buckets must be 0 or a power of two from {} to {}", least_buckets, max_buckets);
  if (at.word("layout") == "strided" && at.word("mode") != "strict")
    return "layout=strided needs mode=strict: in the others buckets grow beyond their capacity";
  if (at.word("region") == "search" && at.integer("probes") == 0)
    return "region=search needs probes to search";
  return points == 0 ? std::nullopt : refuses_size(points, at);
}

checked_problem problem_at(const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const std::int64_t points = inputs.point_count(distribution, at.integer("points"));
  if (const auto reason = refuses_size(points, at))
    throw input_unfit(fmt::format("distribution '{}'", distribution), fmt::format("{} points", points),
                      *reason);
  const batch_size size = size_of_batch(points, at);
  const region what = region_of(at.word("region"));
  checked_problem p;
  p.instances = static_cast<int>(at.integer("batch"));
  p.points = size.points;
  p.largest_instance = size.largest_instance;
  p.capacity = static_cast<int>(at.integer("capacity"));
  p.buckets = buckets_at(at, size);
  p.hash = hash_of(at.word("hash"));
  p.mode = mode_of(at.word("mode"));
  p.layout = static_cast<layout>(place_of(at.word("layout"), layout_words));
  p.quantization = static_cast<quantization>(place_of(at.word("quantization"), quantization_words));
  p.probes = static_cast<int>(at.integer("probes"));
  p.segments = segments_of(at);
  p.channels = static_cast<int>(at.integer("channels"));
  p.seed = static_cast<std::uint32_t>(inputs.seed());
  p.first = what.first;
  p.last = what.last;
  p.claims = what.claims;
  return p;
}

}  // namespace ablate::psh_bucket
