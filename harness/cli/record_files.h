#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate {

/// The records that a command names: files, or directories that hold a record.json.
std::vector<std::filesystem::path> files_of_records(const std::vector<std::string>& given);

}  // namespace ablate
