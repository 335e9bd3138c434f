#include "reports/record/compact_samples.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "reports/text/json_place.h"
#include "reports/text/json_text.h"

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

/// Up to here a double holds every integer, so that a sample is the quotient nearest to its nanoseconds over
/// 1000, as it was when it was taken.
constexpr std::int64_t max_ns = std::int64_t{1} << 53;

/// The samples of an entry that has them, or null.
ordered_json* samples_of(ordered_json& entry) {
  if (!entry.is_object()) return nullptr;
  const auto time = entry.find("time_us");
  if (time == entry.end() || !time->is_object()) return nullptr;
  const auto samples = time->find("samples");
  return samples == time->end() ? nullptr : &*samples;
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

/// Null where a sample is no whole number of nanoseconds.
ordered_json delta_encoded(const ordered_json& samples) {
  std::vector<std::int64_t> all_ns;
  std::int64_t tick_ns = 0;
  for (const ordered_json& sample : samples) {
    if (!sample.is_number_float()) return {};
    const double us = sample.get<double>(), ns = std::round(us * 1000);
    if (!(ns >= 1 && ns <= static_cast<double>(max_ns))) return {};
    all_ns.push_back(static_cast<std::int64_t>(ns));
    if (microseconds(all_ns.back()) != us) return {};
    tick_ns = std::gcd(tick_ns, all_ns.back());
  }
  ordered_json deltas = ordered_json::array();
  std::int64_t before = 0;
  for (const std::int64_t ns : all_ns) deltas.push_back((ns - std::exchange(before, ns)) / tick_ns);
  return {{"tick_ns", tick_ns}, {"deltas", std::move(deltas)}};
}

ordered_json delta_decoded(const json_place& encoded) {
  const std::int64_t tick_ns = encoded.at("tick_ns").integer(1, max_ns);
  ordered_json samples = ordered_json::array();
  std::int64_t ticks = 0;
  for (const json_place& delta : encoded.at("deltas").elements()) {
    ticks += delta.integer(-max_ns, max_ns);
    if (ticks < 1 || ticks > max_ns / tick_ns)
      delta.refuse(fmt::format("expected a sum of deltas from 1 to {}, found {}", max_ns / tick_ns, ticks));
    samples.push_back(microseconds(ticks * tick_ns));
  }
  return samples;
}

ordered_json in_order(const json_place& distinct) {
  const std::vector<json_place> values = distinct.at("values").elements();
  ordered_json samples = ordered_json::array();
  for (const json_place& place : distinct.at("order").elements()) {
    const std::int64_t last = static_cast<std::int64_t>(values.size()) - 1;
    samples.push_back(values[static_cast<std::size_t>(place.integer(0, last))].json());
  }
  return samples;
}

}  // namespace

void compact_samples(ordered_json& entry) {
  ordered_json* const samples = samples_of(entry);
  if (!samples || !samples->is_array() || samples->size() <= max_plain_samples) return;
  ordered_json encoded = delta_encoded(*samples);
  if (!encoded.is_null() && json_text(encoded).size() < json_text(*samples).size())
    *samples = std::move(encoded);
}

void expand_samples(ordered_json& record, const std::string& file) {
  if (!record.is_object() || !record.contains("benchmarks") || !record["benchmarks"].is_array()) return;
  for (std::size_t i = 0; i < record["benchmarks"].size(); ++i) {
    ordered_json* const samples = samples_of(record["benchmarks"][i]);
    if (!samples || !samples->is_object()) continue;
    const json_place at(*samples, file, fmt::format("/benchmarks/{}/time_us/samples", i));
    if (samples->contains("deltas"))
      *samples = delta_decoded(at);
    else if (samples->contains("order"))
      *samples = in_order(at);
  }
}

}  // namespace ablate::reports
