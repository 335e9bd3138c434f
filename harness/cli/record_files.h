#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate {

/// The records that a command names: files, or directories that hold a record.json.
std::vector<std::filesystem::path> files_of_records(const std::vector<std::string>& given);

/// The same, each directory with its records of further launches, record-*.json by name, behind its own.
std::vector<std::filesystem::path> files_of_launches(const std::vector<std::string>& given);

}  // namespace ablate
