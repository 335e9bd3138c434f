#include "base/text/spelled_point.h"

namespace ablate {

switch_values::value_type read_change(std::string_view text) {
  const std::size_t equals = text.find('=');
  return {std::string(text.substr(0, equals)),
          equals == std::string_view::npos ? "on" : std::string(text.substr(equals + 1))};
}

spelled_point read_point(std::string_view name) {
  spelled_point out{std::string(name.substr(0, name.find('+'))), {}};
  while (name.find('+') != std::string_view::npos) {
    name.remove_prefix(name.find('+') + 1);
    out.changes.push_back(read_change(name.substr(0, name.find('+'))));
  }
  return out;
}

std::string point_name(const spelled_point& of) {
  std::string out = of.variant;
  for (const auto& [name, value] : of.changes) out += "+" + (value == "on" ? name : name + "=" + value);
  return out;
}

}  // namespace ablate
