#include "reports/kernels_by_name.h"

#include <map>
#include <vector>

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// Null where one of them is.
ordered_json sum_of(const std::vector<const ordered_json*>& launches, const std::string& counter,
                    const std::optional<std::string_view>& weight) {
  double sum = 0;
  for (const ordered_json* launch : launches) {
    const ordered_json value = launch->value(counter, ordered_json());
    const ordered_json factor =
        weight ? launch->value(std::string(*weight), ordered_json()) : ordered_json(1);
    if (!value.is_number() || !factor.is_number()) return nullptr;
    sum += value.get<double>() * factor.get<double>();
  }
  return sum;
}

ordered_json quotient(const ordered_json& sum, const ordered_json& of) {
  if (!sum.is_number() || !of.is_number() || !(of.get<double>() > 0)) return nullptr;
  return sum.get<double>() / of.get<double>();
}

}  // namespace

bool adds_up(std::string_view counter) {
  return counter.ends_with(".sum") || counter.ends_with(".avg") || counter.ends_with(".max");
}

std::optional<std::string_view> weight_of(std::string_view counter) {
  if (counter.ends_with("_elapsed")) return "sm__cycles_elapsed.max";
  if (counter.ends_with("_active")) return "sm__cycles_active.avg";
  if (counter.ends_with(".per_second")) return "gpu__time_duration.sum";
  return std::nullopt;
}

ordered_json kernels_by_name(const ordered_json& launches, const ordered_json& values) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const ordered_json*>> launches_of;
  for (const ordered_json& launch : launches) {
    auto& of_this_name = launches_of[launch.at("name").get<std::string>()];
    if (of_this_name.empty()) names.push_back(launch.at("name"));
    of_this_name.push_back(&launch.at("values"));
  }
  ordered_json out = ordered_json::array();
  for (const std::string& name : names) {
    const auto& of_this_name = launches_of[name];
    ordered_json sums = ordered_json::array(), weighted = ordered_json::array();
    for (const auto& [counter, whole] : values.items()) {
      const auto weight = weight_of(counter);
      sums.push_back(adds_up(counter) ? sum_of(of_this_name, counter, std::nullopt) : ordered_json());
      weighted.push_back(weight ? sum_of(of_this_name, counter, weight) : ordered_json());
    }
    out.push_back({{"name", name},
                   {"launches", of_this_name.size()},
                   {"sums", std::move(sums)},
                   {"weighted", std::move(weighted)}});
  }
  return out;
}

ordered_json kernel_of_launches(const ordered_json& by_name, const ordered_json& values) {
  for (const char* rows : {"sums", "weighted"})
    if (!by_name.is_object() || !by_name.contains("name") || !by_name.contains("launches") ||
        !by_name.contains(rows) || !by_name[rows].is_array() || by_name[rows].size() != values.size())
      return nullptr;
  ordered_json sums = ordered_json::object();
  std::size_t place = 0;
  for (const auto& [counter, whole] : values.items()) sums[counter] = by_name["sums"][place++];
  ordered_json out = sums;
  place = 0;
  for (auto& [counter, value] : out.items()) {
    const ordered_json& weighted = by_name["weighted"][place++];
    if (const auto weight = weight_of(counter))
      value = quotient(weighted, sums.value(std::string(*weight), ordered_json()));
  }
  return {{"name", by_name["name"]}, {"launches", by_name["launches"]}, {"values", std::move(out)}};
}

}  // namespace ablate::reports
