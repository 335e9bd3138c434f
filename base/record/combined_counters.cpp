#include "base/record/combined_counters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/record/counter_definitions.h"
#include "base/record/fields.h"
#include "base/record/recorded_counters.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// Of the three numbers of a ratio the one that is missing, where the two others tell it.
bool complete(const counter_definition& defined, double& ratio, double& of, double& over) {
  if (!std::isfinite(ratio)) return false;
  if (!std::isfinite(of) && std::isfinite(over)) {
    of = ratio * over / defined.scale;
    return true;
  }
  if (!std::isfinite(over) && std::isfinite(of) && ratio != 0) {
    over = defined.scale * of / ratio;
    return true;
  }
  return false;
}

}  // namespace

kernel_counters::kernel_counters(counters_by_kernel read) : read_(std::move(read)), known_(read_) {
  // The active cycles and their share are of one pass, which most ratios are of, too. Elapsed cycles that a
  // group of another pass read would weigh them by another launch.
  const auto share = read_.find("sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
  if (share != read_.end() && read_.contains("sm__cycles_active.avg") &&
      std::all_of(share->second.begin(), share->second.end(), [](double v) { return v > 0; }))
    known_.erase("sm__cycles_elapsed.avg");
  derive_what_follows();
}

void kernel_counters::derive_what_follows() {
  for (bool learned = true; learned;) {
    learned = false;
    for (const auto& [counter, defined] : defined_counters()) {
      const auto ratio = known_.find(counter);
      if (defined.of.empty() || ratio == known_.end()) continue;
      const std::size_t kernels = ratio->second.size();
      std::vector<double>& of = known_.try_emplace(defined.of, kernels, no_number).first->second;
      std::vector<double>& over = known_.try_emplace(defined.over, kernels, no_number).first->second;
      for (std::size_t i = 0; i < kernels; ++i)
        learned = complete(defined, ratio->second[i], of[i], over[i]) || learned;
    }
  }
}

combined_counter kernel_counters::ratio(const std::vector<double>& ratios, const std::string& over) const {
  const auto denominators = known_.find(over);
  if (denominators == known_.end() || !all_finite(denominators->second))
    return {std::nullopt, "several kernels; the record lacks " + over};
  double numerator = 0, denominator = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double own = denominators->second[i];
    if (own == 0) continue;  // nothing over nothing, whatever the hardware says of it
    numerator += ratios[i] * own;
    denominator += own;
  }
  if (!(denominator > 0)) return {std::nullopt, "several kernels; " + over + " is 0 in all of them"};
  if (!std::isfinite(numerator)) return {};
  return {numerator / denominator, ""};
}

combined_counter kernel_counters::of_case(const std::string& counter) const {
  const auto found = read_.find(counter);
  if (found == read_.end() || found->second.empty()) return {};
  const std::vector<double>& values = found->second;
  if (values.size() == 1) return all_finite(values) ? combined_counter{values[0], ""} : combined_counter{};
  if (adds_up(counter)) {
    if (!all_finite(values)) return {};
    return {std::accumulate(values.begin(), values.end(), 0.0), ""};
  }
  const auto defined = defined_counters().find(counter);
  if (defined == defined_counters().end() || defined->second.over.empty())
    return {std::nullopt, "several kernels; the denominator is not known"};
  return ratio(values, defined->second.over);
}

namespace reports {
namespace {

bool is_number_or_null(const ordered_json& value) { return value.is_number() || value.is_null(); }

double number_in(const ordered_json& value) { return value.is_number() ? value.get<double>() : no_number; }

/// The kernels' values, or none where the entry is not as it should be, which who reads it says.
counters_by_kernel columns_of(const ordered_json& counters) {
  counters_by_kernel out;
  for (const auto& [counter, whole] : counters["values"].items()) {
    std::vector<double>& column = out[counter];
    for (const ordered_json& kernel : counters["kernels"]) {
      if (!kernel.is_object() || !kernel.contains("values") || !kernel["values"].is_object()) return {};
      const ordered_json value = kernel["values"].value(counter, ordered_json());
      if (!is_number_or_null(value) || !is_number_or_null(whole)) return {};
      column.push_back(number_in(value));
    }
  }
  return out;
}

}  // namespace

void combine_counters(ordered_json& entry) {
  const auto counters = entry.find("counters");
  if (counters == entry.end() || !counters->is_object()) return;
  const auto values = counters->find("values"), kernels = counters->find("kernels");
  if (values == counters->end() || !values->is_object() || kernels == counters->end() ||
      !kernels->is_array() || kernels->size() < 2)
    return;
  const kernel_counters of_kernels(columns_of(*counters));
  ordered_json missing = counters->value("missing", ordered_json::object());
  if (!missing.is_object()) return;  // which their reader refuses
  for (auto& [counter, value] : values->items()) {
    const combined_counter combined = of_kernels.of_case(counter);
    if (!combined.value && combined.why_not.empty()) continue;
    value = combined.value ? fields::json_of(short_number(*combined.value)) : ordered_json();
    missing.erase(counter);
    if (!combined.value) missing[counter] = combined.why_not;
  }
  (*counters)["missing"] = std::move(missing);
}

}  // namespace reports
}  // namespace ablate
