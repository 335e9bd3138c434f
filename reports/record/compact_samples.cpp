#include "reports/record/compact_samples.h"

#include <algorithm>
#include <vector>

namespace ablate::reports {

using nlohmann::ordered_json;

namespace {

/// The samples of an entry that has them, or null.
ordered_json* samples_of(ordered_json& entry) {
  const auto time = entry.find("time_us");
  if (time == entry.end() || !time->is_object()) return nullptr;
  const auto samples = time->find("samples");
  return samples == time->end() ? nullptr : &*samples;
}

bool are_numbers(const ordered_json& list) {
  return list.is_array() &&
         std::all_of(list.begin(), list.end(), [](const ordered_json& sample) { return sample.is_number(); });
}

bool are_places(const ordered_json& list, std::size_t values) {
  return list.is_array() && std::all_of(list.begin(), list.end(), [&](const ordered_json& place) {
           return place.is_number_unsigned() && place.get<std::size_t>() < values;
         });
}

}  // namespace

void compact_samples(ordered_json& entry) {
  ordered_json* const samples = samples_of(entry);
  if (!samples || !are_numbers(*samples) || samples->size() <= most_plain_samples) return;
  std::vector<double> values = samples->get<std::vector<double>>();
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (2 * values.size() > samples->size()) return;
  ordered_json order = ordered_json::array();
  for (const ordered_json& sample : *samples)
    order.push_back(static_cast<std::size_t>(
        std::lower_bound(values.begin(), values.end(), sample.get<double>()) - values.begin()));
  *samples = {{"values", values}, {"order", std::move(order)}};
}

void expand_samples(ordered_json& entry) {
  ordered_json* const samples = samples_of(entry);
  if (!samples || !samples->is_object() || samples->size() != 2 || !samples->contains("values") ||
      !samples->contains("order"))
    return;
  const ordered_json values = (*samples)["values"], order = (*samples)["order"];
  if (!are_numbers(values) || !are_places(order, values.size())) return;
  *samples = ordered_json::array();
  for (const ordered_json& place : order) samples->push_back(values[place.get<std::size_t>()]);
}

}  // namespace ablate::reports
