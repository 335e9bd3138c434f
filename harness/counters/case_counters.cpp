#include "harness/counters/case_counters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/record/combined_counters.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;

/// Warp instructions, as the hardware and as a patched kernel counts them.
constexpr const char* fingerprints[] = {"smsp__inst_executed.sum", "smsp__sass_inst_executed.sum"};
constexpr double coherent_within = 0.005;

/// A metric's values by kernel; empty where the group lacks it or was not collected.
std::vector<double> column(const group_reading& from, std::string_view metric) {
  const auto found = std::find(from.metrics.begin(), from.metrics.end(), metric);
  if (found == from.metrics.end() || from.failure) return {};
  const auto index = static_cast<std::size_t>(found - from.metrics.begin());
  std::vector<double> values;
  for (const std::vector<double>& row : from.by_kernel) values.push_back(row.at(index));
  return values;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// Of each counter the values of the first group that read it of every kernel, else of the first that tried.
counters_by_kernel columns_of(const std::vector<group_reading>& groups) {
  counters_by_kernel out;
  for (const group_reading& group : groups)
    for (const std::string& metric : group.metrics) {
      std::vector<double> values = column(group, metric);
      if (values.empty()) continue;
      std::vector<double>& kept = out[metric];
      if (kept.empty() || (!all_finite(kept) && all_finite(values))) kept = std::move(values);
    }
  return out;
}

std::optional<double> fingerprint(const group_reading& from) {
  for (const char* metric : fingerprints) {
    const std::vector<double> values = column(from, metric);
    if (!values.empty()) return std::accumulate(values.begin(), values.end(), 0.0);
  }
  return std::nullopt;
}

bool saw_the_same_work(const std::vector<group_reading>& groups) {
  std::optional<double> first;
  for (const group_reading& group : groups) {
    const std::optional<double> instructions = fingerprint(group);
    if (!instructions) continue;
    if (!first) first = instructions;
    if (!(std::fabs(*instructions - *first) <= coherent_within * *first)) return false;
  }
  return true;
}

ordered_json number_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json();
}

}  // namespace

ordered_json counters_json(const std::string& set, const std::vector<group_reading>& groups,
                           const std::vector<std::string>& kernels, const counting_cost& cost) {
  ordered_json values = ordered_json::object(), missing = ordered_json::object();
  for (const group_reading& group : groups)
    for (const std::string& metric : group.metrics) {
      values[metric] = nullptr;
      missing[metric] = group.failure
                            ? *group.failure
                            : "the hardware gave no number in the pass of group '" + group.group + "'";
    }
  const counters_by_kernel columns = columns_of(groups);
  const kernel_counters of_kernels(columns);
  for (auto& [metric, value] : values.items()) {
    const combined_counter combined = of_kernels.of_case(metric);
    value = number_or_null(combined.value);
    if (combined.value) missing.erase(metric);
    if (!combined.why_not.empty()) missing[metric] = combined.why_not;
  }
  ordered_json by_kernel = ordered_json::array();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    ordered_json own = ordered_json::object();
    for (const auto& [metric, value] : values.items())
      if (const auto read = columns.find(metric); read != columns.end())
        own[metric] = number_or_null(read->second.at(i));
    by_kernel.push_back({{"name", kernels[i]}, {"values", std::move(own)}});
  }
  const bool nothing = std::all_of(groups.begin(), groups.end(),
                                   [](const group_reading& group) { return group.failure.has_value(); });
  return {{"set", set},
          {"reason", nothing && !groups.empty() ? ordered_json(*groups.front().failure) : ordered_json()},
          {"values", values},
          {"missing", missing},
          {"kernels", nothing ? ordered_json::array() : by_kernel},
          {"coherent", saw_the_same_work(groups)},
          {"output", "ok"},
          {"host_ms", cost.host_ms},
          {"open_ms", cost.open_ms}};
}

ordered_json no_counters_json(const std::string& set, const std::string& reason,
                              const std::vector<std::string>& metrics) {
  ordered_json values = ordered_json::object(), missing = ordered_json::object();
  for (const std::string& metric : metrics) {
    values[metric] = nullptr;
    missing[metric] = reason;
  }
  return {{"set", set},
          {"reason", reason},
          {"values", values},
          {"missing", missing},
          {"kernels", ordered_json::array()}};
}

}  // namespace ablate
