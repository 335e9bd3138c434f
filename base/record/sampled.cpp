#include "base/record/sampled.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/bounded.h"
#include "base/record/read_values.h"

namespace ablate {

std::optional<double> find_activity(const activity_values& values, std::string_view key) {
  return find_counter(values, key);
}

std::optional<double> counted_activity(const counter_readings& counters, const sampled_activity& sampled,
                                       std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> counter_of[] = {
      {"sm_active_pct", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
      {"sm_issue_pct", "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"},
      {"tensor_pct", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
      {"dram_read_pct", "dram__bytes_read.sum.pct_of_peak_sustained_elapsed"},
      {"dram_write_pct", "dram__bytes_write.sum.pct_of_peak_sustained_elapsed"}};
  const auto durations_ns = counters.value("gpu__time_duration.sum");
  if (!durations_ns) return std::nullopt;
  const double busy_us = sampled.busy_share * sampled.range_us;
  for (const auto& [of, counter] : counter_of)
    if (of == key)
      if (const auto mean = counters.value(counter))
        return reports::shown_figure(*mean * (*durations_ns / 1e3) / busy_us, 100);
  return std::nullopt;
}

namespace reports {
namespace {

activity_values activity_at(const json_place& at) {
  activity_values out;
  for (const auto& [key, value] : at.members())
    out.emplace_back(key, value.is_null() ? std::nullopt : std::optional(value.not_negative()));
  return out;
}

std::optional<double> positive_or_null(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.positive());
}

}  // namespace

sampled_activity sampled_of(const json_place& at) {
  sampled_activity out{at.at("ranges").count(),
                       at.at("interval_us").positive(),
                       at.at("range_us").positive(),
                       at.at("range_sigma_us").not_negative(),
                       positive_or_null(at.at("unsampled_us")),
                       at.at("cost_pct").is_null() ? std::nullopt : std::optional(at.at("cost_pct").number()),
                       at.at("busy_share").positive(),
                       activity_at(at.at("mean")),
                       activity_at(at.at("sigma")),
                       activity_at(at.at("without_gaps"))};
  if (out.ranges < 1) at.at("ranges").refuse_value("at least one range");
  for (const char* key : {"sigma", "without_gaps"}) {
    const activity_values& of = std::string_view(key) == "sigma" ? out.sigma : out.without_gaps;
    if (!std::equal(of.begin(), of.end(), out.mean.begin(), out.mean.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first; }))
      at.at(key).refuse("expected the keys of mean");
  }
  return out;
}

}  // namespace reports
}  // namespace ablate
