#include "base/record/sampled.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/bounded.h"
#include "base/record/fields.h"

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

template <class List, fields::part_of<sampled_activity> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  const by_name values{or_null(not_negative())};
  list.required("ranges", of.ranges, count_from_1());
  list.required("interval_us", of.interval_us, positive());
  list.required("range_us", of.range_us, positive());
  list.required("range_sigma_us", of.range_sigma_us, not_negative());
  list.required("unsampled_us", of.unsampled_us, or_null(positive()));
  list.required("cost_pct", of.cost_pct, or_null(number()));
  list.required("busy_share", of.busy_share, positive());
  list.required("mean", of.mean, values);
  list.required("sigma", of.sigma, values);
  list.required("without_gaps", of.without_gaps, values);
  list.check([&](const json_place& at) {
    for (const auto& [key, values_of] : {std::pair("sigma", &of.sigma), {"without_gaps", &of.without_gaps}})
      if (!std::equal(values_of->begin(), values_of->end(), of.mean.begin(), of.mean.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first; }))
        at.at(key).refuse("expected the keys of mean");
  });
}

void from_json(const reports::json_place& at, sampled_activity& to) { fields::object::read(at, to); }
nlohmann::ordered_json to_json(const sampled_activity& of) { return fields::object::write(of); }
nlohmann::ordered_json fields_schema(const sampled_activity&) {
  return fields::object::schema_of<sampled_activity>();
}

}  // namespace ablate
