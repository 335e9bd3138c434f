#include "harness/registry/case_id.h"

#include <algorithm>

namespace ablate {

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

}  // namespace ablate
