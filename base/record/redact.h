#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ablate {

/// A record without what tells where it was measured: hosts are called host-1 and so on, GPUs GPU-1 by the
/// order in which they first stand there, and of absolute paths, in commands and reasons, the last name is
/// left. All else stays, so that a redacted record is as good as before to every reader: specimens are still
/// told apart, and no time, count or hash of an input changes.
nlohmann::ordered_json redacted(nlohmann::ordered_json record);

/// Replaces absolute paths, and those that begin with ~/, by their last names.
std::string without_folders(std::string_view text);

}  // namespace ablate
