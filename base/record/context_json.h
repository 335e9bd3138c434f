#pragma once

#include "base/record/record.h"

/// Parts of a record's context that other files have, too.
namespace ablate {

nlohmann::ordered_json to_json(const program_build&);
nlohmann::ordered_json to_json(const record::evidence_rung&);
/// context.ablate.kernels.
nlohmann::ordered_json kernels_json(const std::vector<std::pair<std::string, record::kernel_builds>>&);

}  // namespace ablate
