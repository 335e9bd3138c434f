// psh_bucket: points to buckets of a fixed capacity by perfect spatial hashing, and their coordinates into
// bucket order. Axes, inputs, check of the properties, figures of quality and work model; one entry a
// variant.
#include "kernels/psh_bucket/psh_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "harness/inputs/turned_copies.h"
#include "harness/registry/define.h"
#include "kernels/common/half.h"
#include "kernels/psh_bucket/picture.h"
#include "kernels/psh_bucket/properties.h"
#include "kernels/psh_bucket/quality.h"
#include "kernels/psh_bucket/random_mix.h"
#include "variants/cloud_axes.h"

namespace ablate::psh_bucket {
namespace {

// In the order of the enumerations.
const std::vector<std::string> hash_words = {"z_div",   "z_mod",     "xor_div",
                                             "xor_mod", "z_top_div", "z_top_mod"};
const std::vector<std::string> mode_words = {"strict", "published", "described"};
const std::vector<std::string> layout_words = {"compact", "strided"};
const std::vector<std::string> quantization_words = {"per_axis", "isotropic"};

constexpr int least_buckets = 32, most_buckets = 8192;
constexpr std::int64_t most_points_together = std::int64_t{1} << 31;  // exclusive

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

/// The phases that a region times, and whether its rebalancing claims what it finds.
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

/// Points of instance k of a batch whose cloud has so many.
std::int64_t size_of_instance(std::int64_t points, int k, bool ragged) {
  return ragged ? points * (k % 3) / 2 : points;
}

std::vector<std::uint32_t> ends_of(std::int64_t points, int instances, bool ragged) {
  std::vector<std::uint32_t> ends;
  std::int64_t end = 0;
  for (int k = 0; k < instances; ++k)
    ends.push_back(static_cast<std::uint32_t>(end += size_of_instance(points, k, ragged)));
  return ends;
}

/// Points of all instances together, and of the largest.
struct batch_size {
  std::int64_t points = 0, largest_instance = 0;
};

batch_size size_of_batch(std::int64_t points, const axis_values& at) {
  const bool ragged = at.word("sizes") == "ragged";
  batch_size size;
  for (int k = 0; k < static_cast<int>(at.integer("batch")); ++k) {
    size.points += size_of_instance(points, k, ragged);
    size.largest_instance = std::max(size.largest_instance, size_of_instance(points, k, ragged));
  }
  return size;
}

int buckets_at(const axis_values& at, const batch_size& size) {
  if (const long given = at.integer("buckets"); given != 0) return static_cast<int>(given);
  return buckets_for(size.largest_instance, static_cast<int>(at.integer("capacity")));
}

/// Why clouds of so many points make no case.
std::optional<std::string> refuses_size(std::int64_t points, const axis_values& at) {
  const batch_size size = size_of_batch(points, at);
  if (size.points >= most_points_together)
    return fmt::format("{} points together: at most {}", size.points, most_points_together - 1);
  const int buckets = buckets_at(at, size);
  const std::int64_t capacity = at.integer("capacity");
  if (buckets > most_buckets)
    return fmt::format("{} points in buckets of {} need {} buckets: at most {}", size.largest_instance,
                       capacity, buckets, most_buckets);
  if (at.word("mode") == "strict" && buckets * capacity < size.largest_instance)
    return fmt::format("mode=strict needs at least {} buckets of {} for {} points",
                       buckets_for(size.largest_instance, static_cast<int>(capacity)), capacity,
                       size.largest_instance);
  return std::nullopt;
}

std::optional<std::string> refuses(const axis_values& at) {
  const long points = at.integer("points"), buckets = at.integer("buckets");
  if (auto reason = refuses_all_points(at)) return reason;
  if (at.integer("capacity") % 16 != 0) return "capacity must be a multiple of 16";
  if (at.integer("channels") % 8 != 0) return "channels must be a multiple of 8";
  if (buckets != 0 && (buckets < least_buckets || !std::has_single_bit(static_cast<unsigned long>(buckets))))
    return fmt::format("buckets must be 0 or a power of two from {} to {}", least_buckets, most_buckets);
  if (at.word("layout") == "strided" && at.word("mode") != "strict")
    return "layout=strided needs mode=strict: in the others buckets grow beyond their capacity";
  if (at.word("region") == "search" && at.integer("probes") == 0)
    return "region=search needs probes to search";
  return points == 0 ? std::nullopt : refuses_size(points, at);
}

problem problem_at(const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const std::int64_t points = inputs.point_count(distribution, at.integer("points"));
  if (const auto reason = refuses_size(points, at))
    throw input_unfit(fmt::format("distribution '{}'", distribution), fmt::format("{} points", points),
                      *reason);
  const batch_size size = size_of_batch(points, at);
  const region what = region_of(at.word("region"));
  problem p;
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

/// All phases before the region's first.
std::optional<problem> ahead(const problem& p) {
  if (p.first == phase::prepare) return std::nullopt;
  problem before = p;
  before.first = phase::prepare;
  before.last = static_cast<phase>(static_cast<int>(p.first) - 1);
  before.claims = true;
  return before;
}

std::optional<problem> readback(const problem& p) {
  problem after = p;
  after.first = after.last = phase::read_back;
  return after;
}

std::vector<buffer> buffers(const problem& p) {
  const auto points = static_cast<std::size_t>(p.points), channels = static_cast<std::size_t>(p.channels);
  const std::size_t counters = sizeof(std::uint32_t) * p.instances * p.buckets;
  // A region that ends before the scatter writes no rows.
  const bool scatters = p.does(phase::scatter);
  const std::size_t rows = scatters ? static_cast<std::size_t>(p.rows()) : 0;
  const auto input = buffer_role::input, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  return {{"coordinates", 6 * points, input},
          {"ends", sizeof(std::uint32_t) * p.instances, input},
          {"probe_steps", 6 * most_probes, input},
          {"features", scatters ? 2 * channels * points : 0, input},
          {"bucket_id", 2 * points, output, poison},
          {"bucket_off", 4 * points, output, poison},
          {"bucket_count", counters, output, poison},
          {"bucket_end", p.ends_buckets() ? counters : 0, output, poison},
          {"scattered", 6 * rows, output, poison},
          {"source", 4 * rows, output, poison},
          {"scattered_features", 2 * channels * rows, output, poison},
          {"scratch", scratch_bytes(p), buffer_role::scratch},
          {"events", sizeof(unsigned long long) * event_count, buffer_role::instruments, buffer_reset::zeros},
          {"key_bits", sizeof(std::int32_t), output, poison},
          {"tickets", sizeof(unsigned), buffer_role::scratch, buffer_reset::zeros_once}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.coordinates = static_cast<const std::uint16_t*>(addresses[0]);
  p.ends = static_cast<const std::uint32_t*>(addresses[1]);
  p.probe_steps = static_cast<const std::int16_t*>(addresses[2]);
  p.features = static_cast<const std::uint16_t*>(addresses[3]);
  p.bucket_id = static_cast<std::uint16_t*>(addresses[4]);
  p.bucket_off = static_cast<std::uint32_t*>(addresses[5]);
  p.bucket_count = static_cast<std::uint32_t*>(addresses[6]);
  p.bucket_end = static_cast<std::uint32_t*>(addresses[7]);
  p.scattered = static_cast<std::uint16_t*>(addresses[8]);
  p.source = static_cast<std::uint32_t*>(addresses[9]);
  p.scattered_features = static_cast<std::uint16_t*>(addresses[10]);
  p.scratch = addresses[11];
  p.events = static_cast<unsigned long long*>(addresses[12]);
  p.key_bits = static_cast<std::int32_t*>(addresses[13]);
  p.tickets = static_cast<unsigned*>(addresses[14]);
}

/// The inputs on the host, and what is known of their answer.
struct known_inputs {
  std::vector<std::uint16_t> coordinates;
  std::vector<std::uint32_t> ends;
  std::vector<std::int16_t> probe_steps;
  std::vector<std::uint16_t> features;
  std::vector<std::uint16_t> homes;

  /// The problem on these inputs, with outputs that are read (or written, by the reference).
  problem on_host(problem p, std::span<void* const> outputs) const {
    attach(p, outputs);
    p.coordinates = coordinates.data();
    p.ends = ends.data();
    p.probe_steps = probe_steps.data();
    p.features = features.data();
    return p;
  }
  problem on_host(const problem& p, std::span<const std::byte* const> outputs) const {
    return on_host(p, attachable(outputs));
  }
};

// A cube of 100 m around the sensor, or a room of 10 m. Of scans, which have a size of their own, it orders
// the points only.
box domain_of(const std::string& distribution) {
  if (distribution == "surface") return {{-5, -5, -5}, {10, 10, 10}};
  if (distribution == "uniform" || distribution == "clustered") return {{-50, -50, -50}, {100, 100, 100}};
  return {{-128, -128, -128}, {256, 256, 256}};
}

/// The coordinates of all instances: of each turned copy of the cloud the first points, as fp16.
std::vector<std::uint16_t> coordinates_of(const std::vector<float>& cloud, const axis_values& at) {
  const int instances = static_cast<int>(at.integer("batch"));
  const bool ragged = at.word("sizes") == "ragged";
  const std::vector<float> copies = turned_copies(cloud, instances, {0, 0});
  std::vector<std::uint16_t> halves;
  for (int k = 0; k < instances; ++k) {
    const std::size_t first = cloud.size() * static_cast<std::size_t>(k);
    const auto size = static_cast<std::size_t>(
        3 * size_of_instance(static_cast<std::int64_t>(cloud.size() / 3), k, ragged));
    for (std::size_t i = first; i < first + size; ++i) {
      halves.push_back(half_of_float(copies[i]));
      if (!std::isfinite(float_of_half(halves.back())))
        throw input_unfit(fmt::format("distribution '{}'", at.word("distribution")),
                          fmt::format("point {}", i % cloud.size() / 3),
                          fmt::format("expected coordinates that are finite as fp16, found {}", copies[i]));
    }
  }
  return halves;
}

/// Any bits: features are moved, never computed with.
std::vector<std::uint16_t> random_features(std::size_t values, std::uint64_t seed) {
  std::vector<std::uint16_t> features(values);
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < values; ++i) {
    state = i % 4 == 0 ? mixed(state) : state;
    features[i] = static_cast<std::uint16_t>(state >> 16 * (i % 4));
  }
  return features;
}

// Compulsory bytes: each input of the region's phases once, each output once, whatever passes between the
// phases for nothing. What rebalancing and draining write depends on the answer and is not counted.
work_model work(const problem& p) {
  const auto points = static_cast<double>(p.points), rows = static_cast<double>(p.rows());
  const double counters = 4.0 * p.instances * p.buckets;
  const double placed = 6 * points + counters;  // bucket_id, bucket_off, bucket_count
  const double features = 2.0 * p.channels * points;
  const double scattered = 10 * rows + 2.0 * p.channels * rows + counters;
  switch (p.first) {
    case phase::prepare:
    case phase::insert:
      if (!p.does(phase::scatter)) return {.bytes = 6 * points + placed, .written_bytes = placed};
      return {.bytes = 6 * points + placed + features + scattered, .written_bytes = placed + scattered};
    case phase::rebalance:
    case phase::drain:
      return {.bytes = 4 * points + counters};  // bucket_off tells who has no place
    case phase::scatter:
    case phase::read_back:
      break;
  }
  return {.bytes = placed + 6 * points + features + scattered, .written_bytes = scattered};
}

nlohmann::ordered_json number(const auto& figure) {
  return figure ? nlohmann::ordered_json(*figure) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json quality(const problem& host, std::span<const std::uint16_t> homes) {
  const quality_figures figures = quality_of(host, homes);
  return {{"locality_rms_m", number(figures.locality_rms)},
          {"purity", number(figures.purity)},
          {"at_home_share", number(figures.at_home_share)},
          {"largest_bucket", number(figures.largest_bucket)},
          {"buckets_over_capacity", number(figures.buckets_over_capacity)},
          {"bin_share", number(figures.bin_share)}};
}

nlohmann::ordered_json picture(const problem& host, const std::string& title) {
  auto points = nlohmann::ordered_json::array();
  for (const drawn_point& d : picture_of(host))
    points.push_back({d.x, d.y, d.bucket, int{d.in_scope}, int{d.in_shifted}, int{d.in_strided}});
  return {{"title", title},
          {"x", "x, m"},
          {"y", "y, m"},
          {"panels",
           {{{"title", "buckets"}, {"kind", "category"}},
            {{"title", "one scope"}, {"kind", "members"}},
            {{"title", "shifted"}, {"kind", "members"}},
            {{"title", "strided"}, {"kind", "members"}}}},
          {"points", points}};
}

nlohmann::ordered_json read_instruments(std::span<const std::uint64_t> counts) {
  if (counts[points] == 0) return nullptr;
  const auto per = [](std::uint64_t a, std::uint64_t b) -> nlohmann::ordered_json {
    if (b == 0) return nullptr;
    return static_cast<double>(a) / static_cast<double>(b);
  };
  return {{"points", counts[points]},
          {"overflows", counts[overflows]},
          {"overflow_share", per(counts[overflows], counts[points])},
          {"probes_per_overflow", per(counts[probes], counts[overflows])},
          {"attempts", counts[attempts]},
          {"failures", counts[failures]},
          {"leftovers", counts[leftovers]},
          {"leftover_share", per(counts[leftovers], counts[points])},
          {"drained", counts[drained]},
          {"global_atomics", counts[global_atomics]},
          {"shared_atomics", counts[shared_atomics]}};
}

double load_of(const problem& p) {
  return static_cast<double>(p.points) / (static_cast<double>(p.instances) * p.buckets * p.capacity);
}

workload prepare(const problem& p, const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const point_cloud cloud = inputs.cloud({.distribution = distribution,
                                          .order = at.word("order"),
                                          .points = at.integer("points"),
                                          .domain = domain_of(distribution)});
  auto known = std::make_shared<known_inputs>();
  known->coordinates = coordinates_of(cloud.xyz, at);
  known->ends = ends_of(cloud.points(), p.instances, at.word("sizes") == "ragged");
  known->probe_steps = shuffled_probe_steps(inputs.seed());
  if (p.does(phase::scatter))
    known->features = random_features(static_cast<std::size_t>(p.points) * p.channels, inputs.seed());
  known->homes = home_buckets(known->on_host(p, std::vector<void*>(buffers(p).size(), nullptr)));

  using host_pointers = std::span<const std::byte* const>;
  const std::string title = fmt::format("{}, buckets by {} and a scope of {} of them, from above",
                                        distribution, at.word("hash"), buckets_per_scope);
  workload w;
  w.contents.resize(buffers(p).size());
  w.contents[0] = std::as_bytes(std::span(known->coordinates));
  w.contents[1] = std::as_bytes(std::span(known->ends));
  w.contents[2] = std::as_bytes(std::span(known->probe_steps));
  w.contents[3] = std::as_bytes(std::span(known->features));
  w.check = [p, known](host_pointers outputs) -> check_result {
    const auto violation = violated(known->on_host(p, outputs), known->homes);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    problem whole = known->on_host(p, host);
    whole.first = phase::prepare;
    reference(whole);
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(known->coordinates.data(), w.contents[0].size())},
             {"points", p.points},
             {"instances", p.instances},
             {"capacity", p.capacity},
             {"buckets", p.buckets},
             {"load", load_of(p)},
             {"largest_instance", p.largest_instance}};
  w.quality = [p, known](host_pointers outputs) { return quality(known->on_host(p, outputs), known->homes); };
  w.picture = [p, known, title](host_pointers outputs) { return picture(known->on_host(p, outputs), title); };
  w.read_instruments = read_instruments;
  w.storage = known;
  return w;
}

/// `launch`: insert and rebalance in one kernel (fused), in two (split), or everything in one (resident).
switches counted_by(const char* counter, const char* launch, const char* smem_request = "needed") {
  return {{"counter", counter}, {"launch", launch}, {"smem_request", smem_request}};
}

switches counted_by_key(const char* key_bits) {
  return {
      {"counter", "rank_chunk"}, {"launch", "resident"}, {"smem_request", "needed"}, {"key_bits", key_bits}};
}

axis_conditions fused_regions() { return {{"region", {"pipeline", "kernels", "insert_rebalance"}}}; }

axis_conditions strict_in(std::vector<std::string> regions) {
  return {{"mode", {"strict"}}, {"region", std::move(regions)}};
}

}  // namespace

const bool defined = define<problem>(
    {.name = "psh_bucket",
     .description =
         "points into buckets of a fixed capacity by perfect spatial hashing, and into bucket order",
     .axes = {axis::of_words(
                  "hash", hash_words,
                  "key of a voxel (Morton or xor) and how it becomes a bucket (quotient or remainder)"),
              axis::of_words("mode", mode_words,
                             "where points go whose bucket is full: after probing to any free place; after "
                             "one attempt, or eight, to a bin that is drained"),
              points_axis(1 << 22, 124087, "points of an instance"),
              axis::of_integers("batch", 1, 65535, 1, "instances, each with buckets of its own"),
              axis::of_words("sizes", {"equal", "ragged"},
                             "of the instances: all whole; or none, half and all of the points by turns"),
              distribution_axis("lidar"),
              axis::of_words("order", {"natural", "shuffled", "morton"},
                             "of the points: as generated or scanned, random, along a Morton curve"),
              axis::of_integers("capacity", 16, 4096, 512, "points that a bucket holds; a multiple of 16"),
              axis::of_integers("buckets", 0, most_buckets, 0,
                                "buckets of an instance, a power of two from 32; 0 = the fewest that hold "
                                "the largest instance"),
              axis::of_integers("probes", 0, most_probes, most_probes,
                                "places around its voxel that a point without a place may look at"),
              axis::of_integers(
                  "segments", 0, most_probes, 0,
                  "attempts, each in its part of the probes; 0 = the mode's own: described 8, else 1"),
              axis::of_words(
                  "layout", layout_words,
                  "of the scattered rows: bucket after bucket, or each bucket at a multiple of the capacity"),
              axis::of_words("quantization", quantization_words,
                             "voxels: each axis stretched to its own extent, or all by the longest one"),
              axis::of_integers("channels", 0, 1024, 0,
                                "bf16 features of a point that are scattered too; a multiple of 8"),
              axis::of_words("region",
                             {"pipeline", "kernels", "insert", "search", "rebalance", "insert_rebalance",
                              "drain", "scatter"},
                             "what is timed: all; all but zeroing and bounding box; one phase or two; search "
                             "= rebalance without its claims")},
     .baseline = "global_atomic",
     .problem = problem_at,
     .buffers = buffers,
     .attach = attach,
     .prepare = prepare,
     .refuses = refuses,
     .ahead = ahead,
     .readback = readback,
     .variants = {
         {"global_atomic",
          ABLATE_LAUNCH(global_atomic),
          counted_by("global_atomic", "fused"),
          "C0: one returning atomic a point; insert and rebalance in one kernel",
          {.only_where = fused_regions()}},
         {"global_atomic_split", ABLATE_LAUNCH(global_atomic), counted_by("global_atomic", "split"),
          "C0, rebalancing in a kernel after the insertion"},
         {"two_stage",
          ABLATE_LAUNCH(two_stage),
          counted_by("two_stage", "fused"),
          "C1: ranks from shared memory, each block commits all of its counters, as published",
          {.only_where = fused_regions()}},
         {"two_stage_split", ABLATE_LAUNCH(two_stage), counted_by("two_stage", "split"),
          "C1, rebalancing in a kernel after the insertion"},
         {"two_stage_smem_48k",
          ABLATE_LAUNCH(two_stage),
          counted_by("two_stage", "fused", "48"),
          "C1 with 48 KiB of shared memory asked for",
          {.only_where = fused_regions()}},
         {"two_stage_smem_100k",
          ABLATE_LAUNCH(two_stage),
          counted_by("two_stage", "fused", "100"),
          "C1 with 100 KiB of shared memory asked for",
          {.only_where = fused_regions()}},
         {"two_stage_smem_164k",
          ABLATE_LAUNCH(two_stage),
          counted_by("two_stage", "fused", "164"),
          "C1 with 164 KiB of shared memory asked for",
          {.only_where = fused_regions()}},
         {"two_stage_smem_max",
          ABLATE_LAUNCH(two_stage),
          counted_by("two_stage", "fused", "max"),
          "C1 with all of the shared memory that a block may have asked for, as published: one block a "
          "multiprocessor",
          {.only_where = fused_regions()}},
         {"two_stage_skip_zero",
          ABLATE_LAUNCH(two_stage_skip_zero),
          counted_by("two_stage_skip_zero", "fused"),
          "C1 without committing zeros",
          {.only_where = fused_regions()}},
         {"two_stage_skip_zero_split", ABLATE_LAUNCH(two_stage_skip_zero),
          counted_by("two_stage_skip_zero", "split"),
          "C1 without committing zeros, rebalancing in a kernel after the insertion"},
         {"warp_aggregated",
          ABLATE_LAUNCH(warp_aggregated),
          counted_by("warp_aggregated", "fused"),
          "C2 on C0: one atomic for the lanes of a bucket",
          {.only_where = fused_regions()}},
         {"warp_aggregated_split", ABLATE_LAUNCH(warp_aggregated), counted_by("warp_aggregated", "split"),
          "C2 on C0, rebalancing in a kernel after the insertion"},
         {"two_stage_warp_aggregated",
          ABLATE_LAUNCH(two_stage_warp_aggregated),
          counted_by("two_stage_warp_aggregated", "fused"),
          "C2 on C1: one shared atomic for the lanes of a bucket",
          {.only_where = fused_regions()}},
         {"two_stage_warp_aggregated_split", ABLATE_LAUNCH(two_stage_warp_aggregated),
          counted_by("two_stage_warp_aggregated", "split"),
          "C2 on C1, rebalancing in a kernel after the insertion"},
         {"cluster",
          ABLATE_LAUNCH(cluster),
          counted_by("cluster", "fused"),
          "C6: C1 with one commit for eight blocks, through distributed shared memory",
          {.only_where = fused_regions(), .minimum_compute_capability = 90}},
         {"cluster_split",
          ABLATE_LAUNCH(cluster),
          counted_by("cluster", "split"),
          "C6, rebalancing in a kernel after the insertion",
          {.minimum_compute_capability = 90}},
         {"cumsum", ABLATE_LAUNCH(cumsum), counted_by("cumsum", "split"),
          "C3: ranks from block histograms and column sums, no atomic in device memory"},
         {"two_stage_kept",
          ABLATE_LAUNCH(two_stage_kept),
          counted_by("two_stage", "fused").with({{"gives_back", "off"}}),
          "C1 whose counters keep what came too late: no naive decrements",
          {.only_where = strict_in({"pipeline", "kernels"})}},
         {"two_stage_resident",
          ABLATE_LAUNCH(two_stage_resident),
          counted_by("two_stage", "resident").with({{"gives_back", "off"}}),
          "C1 with all phases in one cooperative launch",
          {.only_where = strict_in({"pipeline"})}},
         {"rank_chunk",
          ABLATE_LAUNCH(rank_chunk),
          counted_by("rank_chunk", "split"),
          "C5: points sorted by key and cut into chunks of the capacity",
          {.only_where = strict_in({"pipeline", "kernels"})}},
         {"rank_chunk_resident",
          ABLATE_LAUNCH(rank_chunk_resident),
          counted_by_key("12"),
          "C5 by the leading 12 bits of the key, with all phases in one cooperative launch",
          {.only_where = strict_in({"pipeline"})}},
         {"rank_chunk_resident_k10",
          ABLATE_LAUNCH(rank_chunk_resident),
          counted_by_key("10"),
          "C5 by the leading 10 bits, in one cooperative launch",
          {.only_where = strict_in({"pipeline"})}},
         {"rank_chunk_resident_k13",
          ABLATE_LAUNCH(rank_chunk_resident),
          counted_by_key("13"),
          "C5 by the leading 13 bits, in one cooperative launch",
          {.only_where = strict_in({"pipeline"})}},
     }});

}  // namespace ablate::psh_bucket
