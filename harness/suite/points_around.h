#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/registry/combinations.h"
#include "harness/registry/operation.h"

namespace ablate {

/// Why an operation has no such switch, or no variant with one of these values or "*"; or nothing.
std::optional<std::string> refuses_switch(const operation&, const std::string& name,
                                          const std::vector<std::string>& values);

/// Why a variant's launch function does not take these changes.
std::string why_no_point(const variant_facts&, const switch_values& changes);

/// Every point around these variants at every combination of the values, each once; "*" means all that a
/// variant has or accepts. A variant that neither has nor accepts a value is left out there.
std::vector<const variant_facts*> points_around(const operation&, const std::vector<const variant_facts*>&,
                                                const values_by_switch&);

}  // namespace ablate
