#pragma once

#include <nlohmann/json.hpp>

namespace ablate::verify {

/// Whether a script added this entry, by `context.ablate`: it is no case of the suite, and its samples are
/// the script's.
bool is_rival(const nlohmann::ordered_json& facts, const nlohmann::ordered_json& entry);

}  // namespace ablate::verify
