#pragma once

#include <string>
#include <vector>

#include "harness/registry/registry.h"

namespace ablate::test_support {

/// Names of the switches of a variant that another one has with another word, or does not have.
inline std::vector<std::string> differing_switches(const operation& op, const std::string& one,
                                                   const std::string& other) {
  const switches &a = op.find_variant(one)->switches, &b = op.find_variant(other)->switches;
  std::vector<std::string> names;
  for (const auto& [name, value] : a)
    if (!b.has(name) || b.word(name) != value) names.push_back(name);
  return names;
}

}  // namespace ablate::test_support
