#include "variants/psh_bucket/prepare.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kernels/psh_bucket/random_mix.h"
#include "oracles/psh_bucket/picture.h"
#include "oracles/psh_bucket/probes.h"
#include "oracles/psh_bucket/properties.h"
#include "oracles/psh_bucket/reference.h"
#include "variants/cloud_batch.h"
#include "variants/half_coordinates.h"
#include "variants/psh_bucket/buffers.h"
#include "variants/psh_bucket/figures.h"

namespace ablate::psh_bucket {
namespace {

/// The inputs on the host, and what is known about the answer.
struct known_inputs {
  std::vector<std::uint16_t> coordinates;
  std::vector<std::uint32_t> ends;
  std::vector<std::int16_t> probe_steps;
  std::vector<std::uint16_t> features;
  std::vector<std::uint16_t> homes;

  /// The problem on these inputs; its outputs stay.
  checked_problem on_host(checked_problem p) const {
    p.coordinates = coordinates.data();
    p.ends = ends.data();
    p.probe_steps = probe_steps.data();
    p.features = features.data();
    return p;
  }
};

/// Arbitrary bits: features are moved, never computed with.
std::vector<std::uint16_t> random_features(std::size_t values, std::uint64_t seed) {
  std::vector<std::uint16_t> features(values);
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < values; ++i) {
    state = i % 4 == 0 ? mixed(state) : state;
    features[i] = static_cast<std::uint16_t>(state >> 16 * (i % 4));
  }
  return features;
}

// Compulsory bytes: each input of the region's phases once, each output once; traffic between the phases
// counts as free. What rebalancing and draining write depends on the answer and is not counted.
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
      return {.bytes = 4 * points + counters};  // bucket_off tells which points have no place
    case phase::drain:
      return {.bytes = 2 * points + counters};  // bucket_id tells which are in the bin
    case phase::scatter:
      break;
  }
  return {.bytes = placed + 6 * points + features + scattered, .written_bytes = scattered};
}

double load_of(const problem& p) {
  return static_cast<double>(p.points) / (static_cast<double>(p.instances) * p.buckets * p.capacity);
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  const std::string& distribution = at.word("distribution");
  const cloud_batch batch = batch_of(at, at.word("order"), inputs);
  half_coordinates halves = halves_of(batch.xyz, batch.ends, at, inputs);
  auto known = std::make_shared<known_inputs>();
  known->coordinates = std::move(halves.xyz);
  known->ends = batch.ends;
  known->probe_steps = shuffled_probe_steps(inputs.seed());
  if (p.does(phase::scatter))
    known->features = random_features(static_cast<std::size_t>(p.points) * p.channels, inputs.seed());
  known->homes = home_buckets(known->on_host(p));

  using host_pointers = std::span<const std::byte* const>;
  const std::string title = fmt::format("{}, buckets by {} and a scope of {} of them, from above",
                                        distribution, at.word("hash"), buckets_per_scope);
  workload w;
  const auto coordinate_bytes = std::as_bytes(std::span(known->coordinates));
  w.contents = contents_of(p, buffers,
                           {{"coordinates", coordinate_bytes},
                            {"ends", std::as_bytes(std::span(known->ends))},
                            {"probe_steps", std::as_bytes(std::span(known->probe_steps))},
                            {"features", std::as_bytes(std::span(known->features))}});
  w.check = [p, known](host_pointers outputs) -> check_result {
    const auto violation = violated(known->on_host(attached(p, buffers, outputs)), known->homes);
    return violation ? check_result{false, *violation} : check_result{.ok = true};
  };
  w.reference = [p, known](std::span<void* const> host) {
    checked_problem whole = known->on_host(attached(p, buffers, host));
    whole.first = phase::prepare;
    reference(whole);
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(coordinate_bytes.data(), coordinate_bytes.size())},
             {"points", p.points},
             {"instances", p.instances},
             {"capacity", p.capacity},
             {"buckets", p.buckets},
             {"load", load_of(p)},
             {"largest_instance", p.largest_instance}};
  w.input.update(batch.facts);
  add_facts_of(halves, w.input);
  w.quality = [p, known](host_pointers outputs) {
    return quality(known->on_host(attached(p, buffers, outputs)), known->homes);
  };
  w.picture = [p, known, title](host_pointers outputs) {
    return picture(known->on_host(attached(p, buffers, outputs)), title);
  };
  w.read_instruments = read_instruments;
  w.storage = known;
  return w;
}

}  // namespace ablate::psh_bucket
