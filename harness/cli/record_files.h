#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate {

/// The records that a command names: files, or directories that hold a record.json.
std::vector<std::filesystem::path> files_of_records(const std::vector<std::string>& given);

/// The same, or directories of such directories (results/h200), whose records follow by name. Throws
/// bad_input for a directory without a record.
std::vector<std::filesystem::path> files_of_collections(const std::vector<std::string>& given);

/// A record and, where its directory was named, the further launches beside it.
struct collected_record {
  std::filesystem::path record;
  std::vector<std::filesystem::path> further;
};

/// As files_of_collections.
std::vector<collected_record> launches_of_collections(const std::vector<std::string>& given);

/// The first again, each directory's own record followed by those of further launches, record-*.json by name.
std::vector<std::filesystem::path> files_of_launches(const std::vector<std::string>& given);

}  // namespace ablate
