#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/registry/axis.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// Whether `text` is not empty and holds only characters that a case id may hold: [A-Za-z0-9_.=+-].
bool is_case_id_word(std::string_view text);

/// operation/variant/axis=value/…/@cache-state, the axes in declared order.
std::string case_id(std::string_view operation, std::string_view variant, const axis_values&,
                    std::string_view cache_state);

/// The values that an id names: all but the defaults of axes that are silent there.
axis_values named_in_id(const std::vector<axis>& axes, const axis_values& values);

}  // namespace ABLATE_ABI
