#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/record/record.h"

namespace ablate::compare {

/// "a.json (NVIDIA H100, 2026-01-02, sources 0123456789ab); b.json (…)"
std::string side_text(const std::vector<record>&);

/// A list of path, date, suite, device, uuid, seed, commit and source_hash.
nlohmann::ordered_json side_json(const std::vector<record>&);

}  // namespace ablate::compare
