#include "reports/verify/silent_axes.h"

#include <algorithm>

namespace ablate::verify {

silent_axes::silent_axes(const nlohmann::ordered_json& benchmarks) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, int>> lacking;
  for (const nlohmann::ordered_json& entry : benchmarks) {
    const auto name = entry.at("name").get<std::string>();
    const auto operation = entry.at("operation").get<std::string>();
    for (const auto& [axis, value] : entry.at("axes").items())
      if (name.find("/" + axis + "=") == std::string::npos)
        ++lacking[{operation, axis}][value.get<std::string>()];
  }
  for (const auto& [axis, values] : lacking)
    value_[axis] =
        std::ranges::max_element(values, {}, [](const auto& value) { return value.second; })->first;
}

bool silent_axes::is_left_out(const std::string& operation, const std::string& axis,
                              const std::string& value) const {
  const auto found = value_.find({operation, axis});
  return found != value_.end() && found->second == value;
}

}  // namespace ablate::verify
