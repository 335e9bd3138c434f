#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// Adds an operation to the registry; called by `define` before main. Throws std::logic_error on a second
/// operation of the same name or a name that is invalid in a case id.
bool register_operation(std::unique_ptr<operation>);

/// Every operation of this program, sorted by name.
const std::vector<std::unique_ptr<operation>>& operations();

/// Null when there is none of that name.
const operation* find_operation(std::string_view name);

}  // namespace ABLATE_ABI
