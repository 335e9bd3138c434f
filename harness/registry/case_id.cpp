#include "harness/registry/case_id.h"

#include <algorithm>

namespace ABLATE_ABI {

bool is_case_id_word(std::string_view text) {
  constexpr std::string_view others = "_.=+-";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

std::string case_id(std::string_view operation, std::string_view variant, const axis_values& axes,
                    std::string_view cache_state) {
  std::string id = std::string(operation) + "/" + std::string(variant);
  for (const auto& [name, value] : axes) id += "/" + name + "=" + value;
  return id + "/@" + std::string(cache_state);
}

axis_values named_in_id(const std::vector<axis>& axes, const axis_values& values) {
  axis_values named;
  for (const auto& [name, value] : values) {
    const auto known = std::find_if(axes.begin(), axes.end(), [&](const axis& a) { return a.name == name; });
    if (known == axes.end() || !known->is_silent_at_default || value != known->default_value)
      named.set(name, value);
  }
  return named;
}

}  // namespace ABLATE_ABI
