#include "harness/registry/combinations.h"

namespace ABLATE_ABI {

std::vector<switch_values> combinations_of(const values_by_switch& values) {
  std::vector<switch_values> out = {{}};
  for (const auto& [name, words] : values) {
    std::vector<switch_values> longer;
    for (const switch_values& before : out)
      for (const std::string& word : words) {
        longer.push_back(before);
        longer.back().emplace_back(name, word);
      }
    out = std::move(longer);
  }
  return out;
}

}  // namespace ABLATE_ABI
