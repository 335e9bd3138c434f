#pragma once

#include <stdexcept>
#include <string>

#include "harness/registry/operation.h"

namespace ablate::test_support {

/// The variant, or point, of that name. A test that names none fails by what this throws and goes on with the
/// next; following a null pointer would end all tests of its process.
inline const variant_facts& named_variant(const operation& of, const std::string& name) {
  if (const variant_facts* found = of.find_variant(name)) return *found;
  throw std::invalid_argument("'" + of.name + "' has no variant '" + name + "'");
}

}  // namespace ablate::test_support
