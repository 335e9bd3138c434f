#include "harness/counters/case_counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/record/combined_counters.h"

namespace ablate {

namespace {

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

std::optional<written_number> finite(std::optional<double> value) {
  return value && std::isfinite(*value) ? std::optional<written_number>(*value) : std::nullopt;
}

/// Each metric of the groups once, in the order of the first mention, with why it would be null: that of the
/// last.
std::vector<std::pair<std::string, std::string>> reasons_of(const std::vector<group_reading>& groups) {
  std::vector<std::pair<std::string, std::string>> out;
  std::map<std::string, std::size_t> places;
  for (const group_reading& group : groups)
    for (const std::string& metric : group.metrics) {
      const auto [place, is_new] = places.emplace(metric, out.size());
      if (is_new) out.emplace_back(metric, "");
      out[place->second].second =
          group.failure ? *group.failure
                        : "the hardware gave no value in the pass of group '" + group.group + "'";
    }
  return out;
}

}  // namespace

counter_readings counters_of(const std::string& set, const std::vector<group_reading>& groups,
                             const std::vector<std::string>& kernels, const counting_cost& cost) {
  counter_readings out;
  out.set = set;
  std::vector<std::pair<std::string, std::string>> missing;
  const counters_by_kernel columns = columns_of(groups);
  const kernel_counters of_kernels(columns);
  for (const auto& [metric, why_null] : reasons_of(groups)) {
    const combined_counter combined = of_kernels.of_case(metric);
    out.values.emplace_back(metric, finite(combined.value));
    if (!combined.why_not.empty())
      missing.emplace_back(metric, combined.why_not);
    else if (!combined.value)
      missing.emplace_back(metric, why_null);
  }
  std::vector<counter_readings::kernel> by_kernel;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    by_kernel.push_back({kernels[i], {}});
    for (const auto& [metric, value] : out.values)
      if (const auto read = columns.find(metric); read != columns.end())
        by_kernel.back().values.emplace_back(metric, finite(read->second.at(i)));
  }
  const bool nothing = std::all_of(groups.begin(), groups.end(),
                                   [](const group_reading& group) { return group.failure.has_value(); });
  if (nothing && !groups.empty()) out.reason = *groups.front().failure;
  if (nothing) by_kernel.clear();
  out.missing = std::move(missing);
  out.kernels = std::move(by_kernel);
  out.coherent = saw_the_same_work(groups);
  out.output = std::string("ok");
  out.host_ms = cost.host_ms;
  out.open_ms = cost.open_ms;
  return out;
}

counter_readings nothing_counted(const std::string& set, const std::string& reason,
                                 const std::vector<std::string>& metrics) {
  counter_readings out;
  out.set = set;
  out.reason = reason;
  std::vector<std::pair<std::string, std::string>> missing;
  std::set<std::string> seen;
  for (const std::string& metric : metrics) {
    if (!seen.insert(metric).second) continue;
    out.values.emplace_back(metric, std::nullopt);
    missing.emplace_back(metric, reason);
  }
  out.missing = std::move(missing);
  out.kernels.state();
  return out;
}

}  // namespace ablate
