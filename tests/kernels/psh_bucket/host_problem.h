#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/half.h"
#include "kernels/common/poison.h"
#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/probes.h"
#include "oracles/psh_bucket/properties.h"
#include "oracles/psh_bucket/reference.h"

namespace ablate::psh_bucket::test_support {

/// A problem with host memory of its own: inputs given, outputs poisoned as the harness does it.
class host_problem {
 public:
  /// `instances`: [points][3] of each, in meters. The buckets are those that hold the largest, unless given.
  host_problem(problem shape, const std::vector<std::vector<float>>& instances) : p{shape} {
    p.instances = static_cast<int>(instances.size());
    p.points = p.largest_instance = 0;
    for (const auto& xyz : instances) {
      for (const float c : xyz) coordinates.push_back(half_of_float(c));
      const auto size = static_cast<std::int64_t>(xyz.size() / 3);
      p.largest_instance = std::max(p.largest_instance, size);
      ends.push_back(static_cast<std::uint32_t>(p.points += size));
    }
    if (p.buckets == 0) p.buckets = buckets_for(p.largest_instance, p.capacity);
    probe_steps = shuffled_probe_steps(7);
    features.resize(p.points * p.channels);
    std::iota(features.begin(), features.end(), std::uint16_t{1});
    bucket_id.resize(p.points);
    bucket_off.resize(p.points);
    bucket_count.resize(static_cast<std::size_t>(p.instances) * p.buckets);
    bucket_end.resize(bucket_count.size());
    scattered.resize(3 * p.rows());
    source.resize(p.rows());
    scattered_features.resize(p.rows() * p.channels);
    events.assign(event_count, 0);
    poison();
    connect();
    homes = home_buckets(p);
  }
  host_problem(const host_problem& other) { *this = other; }
  host_problem& operator=(const host_problem& other) {
    p = other.p;
    coordinates = other.coordinates, ends = other.ends, probe_steps = other.probe_steps;
    features = other.features, bucket_id = other.bucket_id, bucket_off = other.bucket_off;
    bucket_count = other.bucket_count, bucket_end = other.bucket_end, scattered = other.scattered;
    source = other.source, scattered_features = other.scattered_features, events = other.events;
    homes = other.homes, key_bits = other.key_bits;
    connect();
    return *this;
  }

  void poison() {
    const auto fill = [](auto& of) {
      if (!of.empty()) std::memset(of.data(), poison_byte, of.size() * sizeof of[0]);
    };
    fill(bucket_id), fill(bucket_off), fill(bucket_count), fill(bucket_end);
    fill(scattered), fill(source), fill(scattered_features);
  }

  /// The reference from `first` to `last`; what `violated` says afterwards.
  std::optional<std::string> run(phase first, phase last, bool claims = true) {
    p.first = first, p.last = last, p.claims = claims;
    reference(p);
    return violated(p, homes);
  }
  std::optional<std::string> run_to(phase last) { return run(phase::prepare, last); }
  std::optional<std::string> violation() const { return violated(p, homes); }

  checked_problem p;
  std::vector<std::uint16_t> coordinates;
  std::vector<std::uint32_t> ends;
  std::vector<std::int16_t> probe_steps;
  std::vector<std::uint16_t> features, bucket_id;
  std::vector<std::uint32_t> bucket_off, bucket_count, bucket_end;
  std::vector<std::uint16_t> scattered;
  std::vector<std::uint32_t> source;
  std::vector<std::uint16_t> scattered_features, homes;
  std::vector<unsigned long long> events;
  std::int32_t key_bits = 0;

 private:
  void connect() {
    p.coordinates = coordinates.data(), p.ends = ends.data(), p.probe_steps = probe_steps.data();
    p.features = features.data(), p.bucket_id = bucket_id.data(), p.bucket_off = bucket_off.data();
    p.bucket_count = bucket_count.data(), p.bucket_end = bucket_end.data();
    p.scattered = scattered.data(), p.source = source.data();
    p.scattered_features = scattered_features.data(), p.events = events.data();
    p.key_bits = &key_bits;
  }
};

constexpr hash all_hashes[] = {hash::z_div,   hash::z_mod,     hash::xor_div,
                               hash::xor_mod, hash::z_top_div, hash::z_top_mod};
constexpr mode all_modes[] = {mode::strict, mode::published, mode::described};

inline const char* name_of(hash h) {
  constexpr const char* names[] = {"z_div", "z_mod", "xor_div", "xor_mod", "z_top_div", "z_top_mod"};
  return names[static_cast<int>(h)];
}
inline const char* name_of(mode m) {
  constexpr const char* names[] = {"published", "described", "strict"};
  return names[static_cast<int>(m)];
}

}  // namespace ablate::psh_bucket::test_support
