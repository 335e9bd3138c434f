#include "harness/counters/case_counters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ablate {

namespace {

using nlohmann::ordered_json;

constexpr const char* cycles_metric = "sm__cycles_elapsed.max";
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

/// The kernels' cycles in this group, or, for patched groups, which have none, in the first group that does.
std::vector<double> cycles_of(const group_reading& group, const std::vector<group_reading>& all) {
  std::vector<double> cycles = column(group, cycles_metric);
  for (std::size_t i = 0; cycles.empty() && i < all.size(); ++i) cycles = column(all[i], cycles_metric);
  return cycles;
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

std::optional<double> value_of_case(const std::string& metric, const std::vector<double>& by_kernel,
                                    const std::vector<double>& cycles) {
  const auto all_finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  if (by_kernel.empty() || !all_finite(by_kernel)) return std::nullopt;
  if (by_kernel.size() == 1) return by_kernel.front();
  if (metric.ends_with(".sum") || metric.ends_with(".avg"))
    return std::accumulate(by_kernel.begin(), by_kernel.end(), 0.0);
  if (metric.ends_with(".max")) return *std::max_element(by_kernel.begin(), by_kernel.end());
  if (cycles.size() != by_kernel.size() || !all_finite(cycles)) return std::nullopt;
  const double weight = std::accumulate(cycles.begin(), cycles.end(), 0.0);
  if (!(weight > 0)) return std::nullopt;
  return std::inner_product(by_kernel.begin(), by_kernel.end(), cycles.begin(), 0.0) / weight;
}

ordered_json counters_json(const std::string& set, const std::vector<group_reading>& groups,
                           const std::vector<std::string>& kernels, const counting_cost& cost) {
  ordered_json values = ordered_json::object(), missing = ordered_json::object();
  ordered_json by_kernel = ordered_json::array();
  for (const std::string& kernel : kernels)
    by_kernel.push_back({{"name", kernel}, {"values", ordered_json::object()}});

  for (const group_reading& group : groups) {
    const std::vector<double> cycles = cycles_of(group, groups);
    for (const std::string& metric : group.metrics) {
      if (values.contains(metric) && !values[metric].is_null()) continue;
      const std::vector<double> column_values = column(group, metric);
      values[metric] = number_or_null(value_of_case(metric, column_values, cycles));
      if (values[metric].is_null())
        missing[metric] = group.failure
                              ? *group.failure
                              : "the hardware gave no number in the pass of group '" + group.group + "'";
      else
        missing.erase(metric);
      for (std::size_t i = 0; i < column_values.size() && i < kernels.size(); ++i)
        by_kernel[i]["values"][metric] = number_or_null(column_values[i]);
    }
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
