#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/registry/operation.h"

namespace ablate {

/// What a variant launches at the default axes, or where it applies, as it would on a chip. Throws what keeps
/// that from being known here.
std::vector<kernel_launch> described_launches(const operation&, const variant_facts&, const chip&);

/// Everything that `list` knows: operations with axes and variants (and the kernels that each launches on an
/// H200 at the default axes, or where it applies), chips, and the static facts of every kernel. A build
/// without CUDA has the kernels from the file of the tree that `kernels_from` names; it is null in any other.
nlohmann::ordered_json catalog_json();

/// The same for people, without the kernels.
std::string catalog_text();

}  // namespace ablate
