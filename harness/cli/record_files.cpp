#include "harness/cli/record_files.h"

#include <system_error>

namespace ablate {

std::vector<std::filesystem::path> files_of_records(const std::vector<std::string>& given) {
  std::vector<std::filesystem::path> out;
  for (const std::filesystem::path path : given) {
    std::error_code error;
    out.push_back(std::filesystem::is_directory(path, error) ? path / "record.json" : path);
  }
  return out;
}

}  // namespace ablate
