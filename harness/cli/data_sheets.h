#pragma once

#include <optional>
#include <string>

#include "reports/verify/verify.h"

namespace ablate {

/// Of a GPU's product name; nothing for one that this program does not know.
std::optional<verify::data_sheet> data_sheet_of(const std::string& product);

/// For `dev verify`: data sheets, the plans of the suites beside this program, the present time.
verify::held_against all_that_is_known();

}  // namespace ablate
