#include "base/record/counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace ablate {

std::optional<double> find_counter(const counter_values& values, std::string_view counter) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == counter; });
  return found == values.end() ? std::nullopt : found->second;
}

bool counter_readings::any() const {
  return std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return value.second.has_value(); });
}

std::optional<double> counter_readings::value(std::string_view counter) const {
  return find_counter(values, counter);
}

namespace reports {
namespace {

std::optional<double> number_or_null(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.number());
}

counter_values values_of(const json_place& at) {
  counter_values out;
  for (const auto& [name, value] : at.members()) out.emplace_back(name, number_or_null(value));
  return out;
}

}  // namespace

counter_readings counters_of(const json_place& at) {
  counter_readings out;
  out.set = at.at("set").text();
  if (const auto reason = at.find("reason"); reason && !reason->is_null()) out.reason = reason->text();
  out.values = values_of(at.at("values"));
  if (const auto missing = at.find("missing"))
    for (const auto& [name, reason] : missing->members()) out.missing.emplace_back(name, reason.text());
  if (const auto kernels = at.find("kernels"))
    for (const json_place& kernel : kernels->elements()) {
      const auto launches = kernel.find("launches");
      out.kernels.push_back(
          {kernel.at("name").text(), values_of(kernel.at("values")), launches ? launches->count() : 1});
    }
  if (const auto coherent = at.find("coherent"); coherent && !coherent->is_null())
    out.coherent = coherent->boolean();
  if (const auto output = at.find("output"); output && !output->is_null()) {
    out.output = output->text();
    if (out.output != "ok" && out.output != "differs")
      output->refuse(fmt::format("expected one of ok, differs, found '{}'", *out.output));
  }
  return out;
}

activity_timeline timeline_of(const json_place& at) {
  activity_timeline out{};
  out.interval_ns = at.at("interval_ns").positive();
  out.loops = at.at("loops").count();
  for (const json_place& time : at.at("time_us").elements()) out.time_us.push_back(time.number());
  for (const auto& [name, samples] : at.at("metrics").members()) {
    auto& [kept_name, values] = out.metrics.emplace_back(name, std::vector<std::optional<double>>{});
    for (const json_place& sample : samples.elements()) values.push_back(number_or_null(sample));
    if (values.size() != out.time_us.size())
      samples.refuse(
          fmt::format("expected {} samples as in time_us, found {}", out.time_us.size(), values.size()));
  }
  for (const json_place& kernel : at.at("kernels").elements())
    out.kernels.push_back(
        {kernel.at("name").text(), kernel.at("start_us").number(), kernel.at("end_us").number()});
  return out;
}

}  // namespace reports
}  // namespace ablate
