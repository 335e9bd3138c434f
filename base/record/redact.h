#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ablate {

/// A record without what tells where it was measured: hosts become host-1 and so on, GPUs GPU-1, in order of
/// first appearance. Absolute paths in commands and reasons keep only the last name. All else stays, so a
/// redacted record serves every reader as before: specimens remain distinct, and no time, count or hash of
/// an input changes.
nlohmann::ordered_json redacted(nlohmann::ordered_json record);

/// Replaces absolute paths, and those that begin with ~/, by their last names.
std::string without_folders(std::string_view text);

}  // namespace ablate
