#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/registry/operation.h"

namespace ablate::test_support {

/// The variant, or point, of that name. A test that names none fails by what this throws and goes on with the
/// next; following a null pointer would end all tests of its process. GCC 13 would take the result for a
/// reference into a temporary `std::string`, hence a view.
inline const variant_facts& named_variant(const operation& of, std::string_view name) {
  if (const variant_facts* found = of.find_variant(std::string(name))) return *found;
  throw std::invalid_argument("'" + of.name + "' has no variant '" + std::string(name) + "'");
}

}  // namespace ablate::test_support
