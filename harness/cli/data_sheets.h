#pragma once

#include <optional>
#include <string>

#include "reports/verify/verify.h"

namespace ablate {

/// Of a GPU's product name; nothing for one that this program does not know.
std::optional<verify::data_sheet> data_sheet_of(const std::string& product);

}  // namespace ablate
