#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// Everything that `list` knows: operations with axes and variants (and the kernels that each launches on an
/// H200 at the default axes, or where it applies), chips, and the static facts of every kernel.
nlohmann::ordered_json catalog_json();

/// The same for people, without the kernels.
std::string catalog_text();

}  // namespace ablate
