#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// Everything that `list` knows: operations with axes and variants (and the kernels that each launches at the
/// default axes on an H200), chips, and the static facts of every kernel.
nlohmann::ordered_json catalog_json();

/// The same for people, without the kernels.
std::string catalog_text();

}  // namespace ablate
